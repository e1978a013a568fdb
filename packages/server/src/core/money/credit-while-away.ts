import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Journal, StoreReach, Tables, WriteEntry } from '#core/kernel/ports/store/index.ts'
import { leaseMs, suspectLater } from '#core/kernel/work/leases.ts'
import type { CallFunds } from './call-funds.ts'
import { raiseReservation } from './reservations.ts'

/** Identifies a reservation. */
interface ReservationId {
  accountId: string
  sessionId: string
}

interface CreditDeps {
  /** Limit of all credit of one outage. */
  maxMs: number
  reach: Pick<StoreReach, 'awayMs'>
  journal: Journal
  clock: Clock
  /** Nodes that share the database, including this one. */
  nodes: () => number
  /** Id of this run of the process. */
  owner: string
}

/** Money that this process may still reserve by itself, and what its sessions took. */
interface Pot {
  left: number
  readonly taken: Map<string, number>
}

/**
 * Reservations of running calls while the database is unreachable. An account's calls get at most this node's share of the money that was
 * left when the database last answered. Each is in the journal before it counts.
 */
export class CreditWhileAway {
  readonly #deps: CreditDeps
  readonly #pots = new Map<string, Pot>()

  constructor(deps: CreditDeps) {
    this.#deps = deps
  }

  /** Seconds of talk that may still be granted from now on. */
  get secondsLeft(): number {
    return Math.max(0, this.#deps.maxMs - this.#deps.reach.awayMs) / 1000
  }

  /** The database has answered. Its numbers do not include what other sessions took meanwhile. */
  confirm({ accountId, sessionId }: ReservationId, { leash, spare }: CallFunds): void {
    if (!spare) return
    const [account = '', ofLeash] = potsOf(accountId, leash)
    this.#fill(account, sessionId, spare.account)
    if (ofLeash !== undefined) this.#fill(ofLeash, sessionId, spare.leash)
  }

  #fill(key: string, sessionId: string, spare: number): void {
    const pot = this.#pots.get(key) ?? { left: 0, taken: new Map<string, number>() }
    pot.taken.set(sessionId, 0)
    pot.left = Math.floor(spare / this.#deps.nodes()) - sum(pot.taken.values())
    this.#pots.set(key, pot)
  }

  /** Raises a reservation by `more`, or as far as the share allows, and returns the amount held then. */
  async raise(id: ReservationId, { leash }: CallFunds, { held, more }: { held: number; more: number }): Promise<number> {
    const pots = potsOf(id.accountId, leash).map((key) => this.#pots.get(key))
    const granted = Math.max(0, Math.min(more, ...pots.map((pot) => pot?.left ?? 0)))
    if (granted === 0) return held
    const take = (amount: number): void => {
      for (const pot of pots) if (pot) takeFrom(pot, id.sessionId, amount)
    }
    take(granted)
    const { journal, clock, owner } = this.#deps
    const payload: RaisedReservation = { ...id, amount: held + granted, owner, at: clock.now() }
    if (await journal.keep({ kind: raisedReservation, id: id.sessionId, payload })) return held + granted
    take(-granted)
    return held
  }

  /** The session has ended. Its credit stays taken until the database answers again. */
  end({ accountId, sessionId }: ReservationId): void {
    for (const [key, { taken }] of this.#pots) {
      if (key === accountId || key.startsWith(`${accountId} `)) taken.delete(sessionId)
      if (taken.size === 0) this.#pots.delete(key)
    }
  }
}

const potsOf = (accountId: string, leash: string | undefined): string[] =>
  leash === undefined ? [accountId] : [accountId, `${accountId} ${leash}`]

const takeFrom = (pot: Pot, sessionId: string, amount: number): void => {
  pot.left -= amount
  pot.taken.set(sessionId, (pot.taken.get(sessionId) ?? 0) + amount)
}

const sum = (amounts: Iterable<number>): number => [...amounts].reduce((total, amount) => total + amount, 0)

export const raisedReservation = 'reservation.raised'

interface RaisedReservation extends ReservationId {
  /** In total. */
  amount: number
  owner: string
  /** Its owner was alive. */
  at: number
}

/** `self`: id of this run of the process. */
export const writeRaisedReservation =
  (clock: Clock, self: string): WriteEntry =>
  async (tables, payload) => {
    const { accountId, sessionId, amount, owner, at } = payload as RaisedReservation
    await raiseReservation(tables, clock, { accountId, sessionId, amount })
    if (owner !== self) await prolongLease(tables, clock, owner, at)
  }

/** A process that died during the outage is charged for its calls up to its last sign of life. */
const prolongLease = async (tables: Tables, clock: Clock, owner: string, at: number): Promise<void> => {
  const lease = await tables.leases.find(owner)
  if (!lease || lease.until >= at + leaseMs) return
  await tables.leases.renew({ owner, until: at + leaseMs })
  await suspectLater(tables, { owner }, clock.now())
}
