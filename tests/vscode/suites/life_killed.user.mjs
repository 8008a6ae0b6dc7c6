// Beside suites/life_killed.cjs: the user in the chat's page.
import path from 'node:path';
import { follow } from '../chat_user.mjs';

export const act = (page, picture) => follow(page, path.join(path.dirname(picture), 'project'));
