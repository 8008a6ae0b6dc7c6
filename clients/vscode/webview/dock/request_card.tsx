/** Pending requests of the session, one card at a time, the oldest first. */
import { useState } from 'preact/hooks';
import type { PendingRequest } from '../../src/permissions/pending_requests';
import { PermissionCard } from './permission_card';
import { QuestionCard } from './question_card';

export function RequestCards({ asks, roots }: { asks: readonly PendingRequest[]; roots: readonly string[] }) {
  const [id, setId] = useState<string>();
  const index = Math.max(
    asks.findIndex((ask) => ask.id === id),
    0,
  );
  const ask = asks[index];
  if (!ask) {
    return null;
  }
  const pager = { index, count: asks.length, show: (next: number) => setId(asks[next]?.id) };
  return ask.kind === 'permission' ? (
    <PermissionCard key={ask.id} ask={ask} pager={pager} roots={roots} />
  ) : (
    <QuestionCard key={ask.id} ask={ask} pager={pager} />
  );
}
