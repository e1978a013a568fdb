import type { Session } from '@offhook/contract/assistant/session.ts'
import {
  areTooLarge,
  givenVariables,
  maxVariablesBytes,
  mergeVariables,
  type VariableChanges,
} from '@offhook/contract/assistant/variables.ts'
import type { Leases } from '#core/kernel/work/leases.ts'
import type { RecordWriter } from '#core/kernel/work/write-with-retry.ts'

export const tooManyVariables = `variables: all together have more than ${maxVariablesBytes} bytes of JSON`

/** The session with changed variables; undefined if they are too large together. */
export const withVariables = ({ variables, ...session }: Session, changes: VariableChanges): Session | undefined => {
  const merged = mergeVariables(variables, changes)
  return areTooLarge(merged) ? undefined : { ...session, ...givenVariables(merged) }
}

/** For a takeover, for an end after a crash, and for requests of the assistant. A failed write costs only these. */
export const keepSession = async (
  { store, tasks, leases, onFailure }: Pick<RecordWriter, 'store' | 'tasks' | 'onFailure'> & { leases: Pick<Leases, 'owner'> },
  session: Session,
): Promise<void> => {
  const kept = store.write(({ sessions }) => sessions.change(session.id, leases.owner, session))
  await tasks.track(kept).catch((error: unknown) => onFailure(error, session.id))
}
