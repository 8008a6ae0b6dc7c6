/** Work of a subagent: the name of the agent, the calls so far, and the last text. */
import * as l10n from '@vscode/l10n';
import { useEffect } from 'preact/hooks';
import type { Conversation } from '../../src/chat/conversation';
import type { ToolPart } from '../../src/wire';
import { Icon } from '../controls/icons';
import { BlockReader } from '../state/blocks';
import type { Store } from '../state/store';
import { BlockView } from './block';
import { shownTool } from './tool_text';

const MOST_CALLS = 12;

export function Subagent({ store, part }: { store: Store; part: ToolPart }) {
  const metadata = part.state.status === 'pending' ? {} : part.state.metadata;
  const id = metadata.sessionId;
  useEffect(() => {
    if (typeof id === 'string') {
      void store.subagents.load(id);
    }
  }, [id]);
  const child = store.subagents.of(part);
  return (
    <div class="subagent">
      <p class="origin">
        {store.conversation?.info.agent ?? 'build'} › {String(metadata.agent ?? l10n.t('subagent'))}
      </p>
      {child ? <Work store={store} child={child} /> : <p class="hint">{l10n.t('No activity yet.')}</p>}
      {child && (
        <button type="button" class="quiet" onClick={() => store.open(child.info.id)}>
          {l10n.t('Open Session')}
        </button>
      )}
    </div>
  );
}

function Work({ store, child }: { store: Store; child: Conversation }) {
  const parts = child.transcript.messages.flatMap((message) => (message.role === 'assistant' ? message.parts : []));
  const calls = parts.filter((part): part is ToolPart => part.type === 'tool');
  const last = parts.findLast((part) => part.type === 'text');
  const hidden = Math.max(0, calls.length - MOST_CALLS);
  return (
    <>
      <ul class="calls">
        {hidden > 0 && <li class="hint">{l10n.t('{0} earlier calls', hidden)}</li>}
        {calls.slice(-MOST_CALLS).map((call) => (
          <li key={call.id} class={call.state.status}>
            {call.state.status === 'completed' ? (
              <Icon name="check" />
            ) : call.state.status === 'error' ? (
              <Icon name="close" />
            ) : store.asks.isAsking(call) ? (
              <Icon name="waiting" />
            ) : (
              <span class="spinner" />
            )}
            <span class="tool-name">{call.tool}</span> <span class="tool-title">{shownTool(call).title}</span>
            {call.tool === 'task' && <Subagent store={store} part={call} />}
          </li>
        ))}
      </ul>
      {last?.type === 'text' && <LastWords text={last.text} />}
    </>
  );
}

function LastWords({ text }: { text: string }) {
  const blocks = new BlockReader().read(text.slice(-4000));
  return (
    <div class="last-words">
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}
