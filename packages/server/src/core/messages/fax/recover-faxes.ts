import { lastSign } from '#core/kernel/work/leases.ts'
import { wholeSeconds } from '#core/telephone/call/money/prepaid.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Fax } from '#core/kernel/ports/store/message.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Lease } from '#core/kernel/ports/store/work.ts'
import type { Telephony } from '#core/kernel/ports/telephony.ts'
import { endTry } from './state/end-try.ts'
import { keepLater } from './receiving/keep-fax.ts'

interface RecoverFaxesDeps {
  store: Store
  clock: Clock
  sayBye: Telephony['sayBye']
  /** Called after a job was queued. */
  wake: () => void
  onFailure: (error: unknown, faxId: string) => void
}

const concurrency = 50

/**
 * Resumes outgoing faxes of a crashed node at the first unconfirmed page, and ends its incoming ones.
 * Returns true when there may be more.
 */
export const recoverFaxes = async (deps: RecoverFaxesDeps, lease: Lease): Promise<boolean> => {
  const { store, wake, onFailure } = deps
  const left = await store.read.faxes.listOf(lease.owner, concurrency)
  let recovered = 0
  for (const fax of left) if (await recover(deps, lease, fax).catch((error: unknown) => onFailure(error, fax.id))) recovered += 1
  if (recovered > 0) wake()
  return recovered === concurrency
}

/** False when its node is alive after all, or another node was faster. */
const recover = async ({ store, clock, sayBye, onFailure }: RecoverFaxesDeps, lease: Lease, { accountId, id }: Fax): Promise<boolean> => {
  const fax = await store.write(async (tables) => {
    if (!(await tables.leases.lock(lease))) return undefined
    const lost = await tables.faxes.lock(accountId, id)
    if (lost?.owner !== lease.owner) return undefined
    await (lost.direction === 'INCOMING' ? keepReceived : resend)(tables, clock, lost, lease)
    return lost
  })
  if (fax?.dialog) void sayBye(fax.dialog).catch((error: unknown) => onFailure(error, id))
  return fax !== undefined
}

const resend = async (tables: Tables, clock: Clock, fax: Fax, lease: Lease): Promise<void> => {
  const { pagesDone } = fax
  await endTry(tables, clock, fax, { reason: 'service_failure', pagesDone, talkSeconds: talked(fax, lease), atOnce: true })
}

/** Ends the reception and keeps the received pages. */
const keepReceived = async (tables: Tables, clock: Clock, fax: Fax): Promise<void> => {
  const at = clock.now()
  await tables.faxes.update(fax.accountId, fax.id, { owner: undefined, dialog: undefined, reason: 'service_failure' }, at)
  await keepLater(tables, fax, at)
}

/** Seconds from the answer to the node's last sign of life. */
const talked = ({ answeredAt, changedAt }: Fax, lease: Lease): number =>
  answeredAt === undefined ? 0 : wholeSeconds(answeredAt, Math.max(lastSign(lease), changedAt))
