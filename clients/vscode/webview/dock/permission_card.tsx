/** Card of a permission request: the title, the action, the reasons on demand, and the answers always in view. */
import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import {
  allowLabel,
  alwaysChoices,
  feedbackLabel,
  isChange,
  rejectLabel,
  reviewLabel,
} from '../../src/permissions/answers';
import type { AskedFile, PendingRequest } from '../../src/permissions/pending_requests';
import { actionWord } from '../../src/permissions/request_text';
import { plain, shownLines, spelledOut } from '../../src/ui/plain_text';
import type { Permission, RequestPermission } from '../../src/wire';
import { Icon } from '../controls/icons';
import { Counts } from '../conversation/tool';
import { post } from '../state/host';
import { folderIn, nameIn } from '../state/names';
import { CardHead, type Pager } from './card_head';
import { type Act, SplitButton } from './split_button';

/** Files in the card; a line with the number of the other files opens the review. */
const FILES = 5;
const KINDS: Record<AskedFile['kind'], string> = {
  create: l10n.t('new file'),
  modify: '',
  delete: l10n.t('deleted file'),
  rename: l10n.t('renamed file'),
};

interface Props {
  ask: Extract<PendingRequest, { kind: 'permission' }>;
  pager: Pager;
  /** Folders of the session, for short names of files. */
  roots: readonly string[];
}

export function PermissionCard({ ask, pager, roots }: Props) {
  const { request } = ask;
  const title = isCommand(request) ? l10n.t('Run this command?') : plain(request.title);
  return (
    <section class="ask" aria-label={l10n.t('Permission request: {0}', plain(request.title))}>
      <CardHead title={title} pager={pager} />
      <div class="ask-body" tabIndex={0} role="group" aria-label={title}>
        {request.origin.length > 0 && <p class="origin">{plain(request.origin.join(' › '))}</p>}
        <Action request={request} roots={roots} />
        <Files ask={ask} roots={roots} />
        {request.note !== undefined && <p>{plain(request.note)}</p>}
        {request.description !== undefined && <p class="quote">{plain(request.description)}</p>}
        <Why request={request} />
      </div>
      <Answers ask={ask} />
    </section>
  );
}

/** Shows the action as it will run: a command line by line, an address, or the arguments of a call. */
function Action({ request, roots }: { request: RequestPermission; roots: readonly string[] }) {
  const { command, url, arguments: input, cwd } = request;
  const folder = cwd === undefined ? '' : folderIn(cwd, roots);
  return (
    <>
      {command !== undefined && (
        <pre class="command">
          {shownLines(command).map((line, index) => (
            <code key={index}>{line}</code>
          ))}
        </pre>
      )}
      {url !== undefined && <p class="url">{spelledOut(url)}</p>}
      {input !== undefined && (
        <pre class="arguments" tabIndex={0}>
          {input.split('\n').map(spelledOut).join('\n')}
        </pre>
      )}
      {folder !== '' && <p class="hint">{l10n.t('in {0}', spelledOut(folder))}</p>}
    </>
  );
}

function Files({ ask, roots }: Pick<Props, 'ask' | 'roots'>) {
  const { files = [] } = ask;
  const left = files.length - FILES;
  return files.length === 0 ? null : (
    <ul class="files">
      {files.slice(0, FILES).map((file) => (
        <File key={file.uri} file={file} roots={roots} />
      ))}
      {left > 0 && (
        <li>
          <button type="button" class="link" onClick={() => post({ type: 'review', id: ask.id })}>
            {left === 1 ? l10n.t('and 1 more') : l10n.t('and {0} more', left)}
          </button>
          <Counts files={files.slice(FILES)} />
        </li>
      )}
    </ul>
  );
}

function File({ file, roots }: { file: AskedFile; roots: readonly string[] }) {
  const path = spelledOut(nameIn(file.uri, roots));
  const folder = path.split('/').slice(0, -1).join('/');
  return (
    <li title={path}>
      <span class="file-name-of">{path.split('/').at(-1)}</span>
      <span class="file-folder">{folder}</span>
      {KINDS[file.kind] !== '' && <span class="hint">{KINDS[file.kind]}</span>}
      <Counts files={[file]} />
    </li>
  );
}

/** Shows the rules behind the request on demand. */
function Why({ request: { parts, rule } }: { request: RequestPermission }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="why">
      <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class={isOpen ? 'twisty open' : 'twisty'}>
          <Icon name="chevron" />
        </span>
        {l10n.t('Why?')}
      </button>
      {isOpen && (
        <>
          {parts.length > 1 && (
            <ul class="parts">
              {parts.map((part, index) => (
                <li key={index}>
                  <span class={`verdict ${part.action}`}>{actionWord(part.action)}</span>{' '}
                  <code>{spelledOut(part.pattern)}</code>{' '}
                  <span class="hint">
                    <Words text={plain(part.by)} />
                  </span>
                </li>
              ))}
            </ul>
          )}
          <p class="hint">
            <Words text={l10n.t('Rule: {0}', plain(rule))} />
          </p>
        </>
      )}
    </div>
  );
}

function Answers({ ask: { id, request } }: Pick<Props, 'ask'>) {
  const [isRejecting, setRejecting] = useState(false);
  const answer = (given: Permission) => post({ type: 'answer', id, answer: given });
  if (isRejecting) {
    return <Feedback onSend={(feedback) => answer(feedback)} onCancel={() => setRejecting(false)} />;
  }
  const always: Act[] = alwaysChoices(request).map(({ label, detail, does }) => ({
    label,
    detail,
    run: () => 'answer' in does && answer(does.answer),
  }));
  return (
    <div class="answers">
      {isChange(request) && (
        <button type="button" class="primary" onClick={() => post({ type: 'review', id })}>
          {reviewLabel()}
        </button>
      )}
      <SplitButton
        act={{ label: allowLabel(request), run: () => answer({ outcome: 'once' }) }}
        more={always}
        isSecondary={isChange(request)}
      />
      <SplitButton
        act={{ label: rejectLabel(request), run: () => answer({ outcome: 'reject' }) }}
        more={[{ label: feedbackLabel(), run: () => setRejecting(true) }]}
        isSecondary
      />
    </div>
  );
}

function Feedback({ onSend, onCancel }: { onSend: (answer: Permission) => void; onCancel: () => void }) {
  const [text, setText] = useState('');
  return (
    <form
      class="reason"
      onSubmit={(event) => {
        event.preventDefault();
        onSend({ outcome: 'reject', ...(text.trim() !== '' && { feedback: text.trim() }) });
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          onCancel();
        }
      }}
    >
      <input
        type="text"
        aria-label={l10n.t('Feedback for the agent')}
        placeholder={l10n.t('What should be done instead?')}
        value={text}
        ref={(element) => element?.focus()}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" class="primary">
        {l10n.t('Reject')}
      </button>
      <button type="button" class="secondary" onClick={onCancel}>
        {l10n.t('Cancel')}
      </button>
    </form>
  );
}

function isCommand(request: RequestPermission): boolean {
  return request.command !== undefined && request.permission === 'bash';
}

/** Shows text in backticks as code. */
function Words({ text }: { text: string }) {
  return <>{text.split('`').map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece))}</>;
}
