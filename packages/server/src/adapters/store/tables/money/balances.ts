import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type {
  Balance,
  Balances,
  Booking,
  DaySpending,
  LeashUse,
  LedgerEntry,
  Purpose,
  Reservation,
  ReservationRequest,
  Spent,
} from '#core/kernel/ports/store/money.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import { hotRow } from '#adapters/store/sqlite/hot-row.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'

/**
 * Every transaction that moves money locks the balance first, then reads reservations: writers of one account queue, and deadlocks are
 * impossible.
 */
export const balances = (db: Db, dialect: Dialect): Balances => {
  const lock = async (accountId: string): Promise<Wallet> => {
    const row = await db
      .selectFrom('balance')
      .selectAll()
      .where('account_id', '=', accountId)
      .$if(dialect === 'postgres', (query) => query.forUpdate())
      .executeTakeFirstOrThrow()
    return { ...toBalance(row), available: row.amount - row.reserved + row.credit_limit }
  }

  const change = async (accountId: string, by: { amount: number; reserved: number }): Promise<void> => {
    await db
      .updateTable('balance')
      .set((eb) => ({ amount: eb('amount', '+', by.amount), reserved: eb('reserved', '+', by.reserved) }))
      .where('account_id', '=', accountId)
      .execute()
  }

  const reservation = (accountId: string, sessionId: string) =>
    db.selectFrom('reservation').selectAll().where('account_id', '=', accountId).where('session_id', '=', sessionId).executeTakeFirst()

  /** The step out of OPEN happens once; the transaction that makes it gets the amount. */
  const close = (accountId: string, sessionId: string, state: 'COMMITTED' | 'RELEASED') =>
    db
      .updateTable('reservation')
      .set({ state })
      .where('account_id', '=', accountId)
      .where('session_id', '=', sessionId)
      .where('state', '=', 'OPEN')
      .returning(['amount', 'leash'])
      .executeTakeFirst()

  // Two counts, each with an index: a busy account has many closed reservations.
  const countOthers = hotRow(db, (accountId: string, purpose: Purpose, than: string, since: number) => {
    const others = db
      .selectFrom('reservation')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', accountId)
      .where('purpose', '=', purpose)
      .where('session_id', '!=', than)
    return db.selectNoFrom([others.where('state', '=', 'OPEN').as('open'), others.where('created_at', '>', since).as('started')])
  })

  const daySpending = hotRow(db, (accountId: string, day: number, since: number) => {
    const today = db.selectFrom('spend_day').where('account_id', '=', accountId).where('day', '=', day)
    const open = db
      .selectFrom('reservation')
      .where('account_id', '=', accountId)
      .where('state', '=', 'OPEN')
      .where('created_at', '>=', since)
    return db.selectNoFrom([
      today.select('amount').as('spent'),
      today.select('warned').as('warned'),
      open.select((eb) => eb.fn.sum<number | string>('amount').as('held')).as('held'),
    ])
  })

  const spendingOf = async (accountId: string, at: number): Promise<DaySpending> => {
    const day = dayOf(at)
    const row = await daySpending(accountId, day, day * dayMs)
    return { spent: row?.spent ?? 0, held: Number(row?.held ?? 0), warned: row?.warned ?? 0 }
  }

  /** Amount that may still be reserved on this day. */
  const leftOf = async (accountId: string, { at, perDay }: { at: number; perDay: number }): Promise<number> => {
    const { spent, held } = await spendingOf(accountId, at)
    return Math.max(0, perDay - spent - held)
  }

  const leashUse = async (accountId: string, leash: string, at: number): Promise<LeashUse> => {
    const started = dayOf(at) * dayMs
    const rows = await db
      .selectFrom('reservation')
      .select(['purpose', (eb) => eb.fn.countAll<number | string>().as('count')])
      .select((eb) => eb.fn.sum<number | string>(eb.fn.coalesce('paid', 'amount')).as('spent'))
      .where('account_id', '=', accountId)
      .where('leash', '=', leash)
      .where('state', '!=', 'RELEASED')
      .where('created_at', '>=', started)
      .where('created_at', '<', started + dayMs)
      .groupBy('purpose')
      .execute()
    const use = { calls: 0, sms: 0, spent: 0 }
    for (const { purpose, count, spent } of rows) {
      if (purpose === 'SMS') use.sms += Number(count)
      else use.calls += Number(count)
      use.spent += Number(spent)
    }
    return use
  }

  /** Amount that may still be reserved under a leash, counting reservations of the day of `at`. */
  const leftOfLeash = async (accountId: string, leash: ReservationRequest['leash'], at: number): Promise<number> => {
    if (leash?.maxSpend === undefined) return Infinity
    const { spent } = await leashUse(accountId, leash.key, at)
    return Math.max(0, leash.maxSpend - spent)
  }

  const addToDay = async (accountId: string, at: number, paid: number): Promise<void> => {
    await db
      .insertInto('spend_day')
      .values({ account_id: accountId, day: dayOf(at), amount: paid, warned: 0 })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'day']).doUpdateSet((eb) => ({ amount: eb('spend_day.amount', '+', paid) })),
      )
      .execute()
  }

  return {
    spendingOf,
    leashUse,

    async noteWarning(accountId, at, percent) {
      const row = await db
        .insertInto('spend_day')
        .values({ account_id: accountId, day: dayOf(at), amount: 0, warned: percent })
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'day']).doUpdateSet({ warned: percent }).where('spend_day.warned', '<', percent),
        )
        .returning('day')
        .executeTakeFirst()
      return row !== undefined
    },

    async open(accountId, currency) {
      await db.insertInto('balance').values({ account_id: accountId, currency, amount: 0, reserved: 0, credit_limit: 0 }).execute()
    },

    async find(accountId) {
      const row = await db.selectFrom('balance').selectAll().where('account_id', '=', accountId).executeTakeFirst()
      return row && toBalance(row)
    },

    async setCreditLimit(accountId, creditLimit) {
      const { amount, reserved } = await lock(accountId)
      if (amount - reserved < -creditLimit) return false
      await db.updateTable('balance').set({ credit_limit: creditLimit }).where('account_id', '=', accountId).execute()
      return true
    },

    async reserve(accountId, { sessionId, purpose, min, want, detail, at, expiresAt, perDay, leash }) {
      const { available } = await lock(accountId)
      const known = await reservation(accountId, sessionId)
      if (known && known.state !== 'RELEASED') return toReservation(known)
      if (available < min) return 'not_covered'
      const left = await leftOf(accountId, { at, perDay })
      if (left < min) return 'day_full'
      const leftOnLeash = await leftOfLeash(accountId, leash, at)
      if (leftOnLeash < min) return 'leash_full'
      const set = {
        purpose,
        amount: Math.min(available, left, leftOnLeash, want),
        state: 'OPEN' as const,
        detail: JSON.stringify(detail),
        claimed_by: null,
        created_at: at,
        expires_at: expiresAt,
        leash: leash?.key ?? null,
        paid: null,
      }
      const row = await db
        .insertInto('reservation')
        .values({ session_id: sessionId, account_id: accountId, ...set })
        .onConflict((conflict) => conflict.column('session_id').doUpdateSet(set).where('reservation.account_id', '=', accountId))
        .returningAll()
        .executeTakeFirstOrThrow()
      await change(accountId, { amount: 0, reserved: row.amount })
      return { ...toReservation(row), spare: { account: Math.min(available, left) - row.amount, leash: leftOnLeash - row.amount } }
    },

    async claim(accountId, sessionId, claimant) {
      const row = await db
        .updateTable('reservation')
        .set({ claimed_by: claimant })
        .where('account_id', '=', accountId)
        .where('session_id', '=', sessionId)
        .where('state', '=', 'OPEN')
        .where((eb) => eb.or([eb('claimed_by', 'is', null), eb('claimed_by', '=', claimant)]))
        .returning('session_id')
        .executeTakeFirst()
      return row !== undefined
    },

    async extend(accountId, sessionId, { want, at, expiresAt, perDay, leashMaxSpend }) {
      const { available } = await lock(accountId)
      const held = await reservation(accountId, sessionId)
      if (held?.state !== 'OPEN') return undefined
      const leash = held.leash === null ? undefined : { key: held.leash, maxSpend: leashMaxSpend }
      const left = Math.min(available, await leftOf(accountId, { at, perDay }))
      const leftOnLeash = await leftOfLeash(accountId, leash, held.created_at)
      const added = Math.min(left, leftOnLeash, Math.max(0, want - held.amount))
      await db
        .updateTable('reservation')
        .set({ amount: held.amount + added, expires_at: expiresAt })
        .where('account_id', '=', accountId)
        .where('session_id', '=', sessionId)
        .execute()
      await change(accountId, { amount: 0, reserved: added })
      return { amount: held.amount + added, spare: { account: left - added, leash: leftOnLeash - added } }
    },

    async keepUntil(accountId, sessionId, expiresAt) {
      await db
        .updateTable('reservation')
        .set({ expires_at: expiresAt })
        .where('account_id', '=', accountId)
        .where('session_id', '=', sessionId)
        .where('state', '=', 'OPEN')
        .execute()
    },

    async commit(accountId, sessionId, { cost, reason, at, spent }) {
      await lock(accountId)
      const closed = await close(accountId, sessionId, 'COMMITTED')
      if (closed === undefined) return undefined
      const paid = Math.min(cost, closed.amount)
      await change(accountId, { amount: -paid, reserved: -closed.amount })
      if (closed.leash !== null) await db.updateTable('reservation').set({ paid }).where('session_id', '=', sessionId).execute()
      if (paid > 0) {
        const postings = [{ book: 'balance', amount: -paid } as const, { book: 'revenue', amount: paid } as const]
        await writeEntry(db, accountId, { key: `session:${sessionId}`, reason, sessionId, actor: 'service', at, spent, postings })
        await addToDay(accountId, at, paid)
      }
      return paid
    },

    async release(accountId, sessionId) {
      await lock(accountId)
      const closed = await close(accountId, sessionId, 'RELEASED')
      if (closed === undefined) return false
      await change(accountId, { amount: 0, reserved: -closed.amount })
      return true
    },

    async findReservation(accountId, sessionId) {
      const row = await db
        .selectFrom('reservation')
        .innerJoin('balance', 'balance.account_id', 'reservation.account_id')
        .selectAll('reservation')
        .select(['balance.amount as booked', 'balance.reserved', 'balance.credit_limit'])
        .where('reservation.account_id', '=', accountId)
        .where('reservation.session_id', '=', sessionId)
        .executeTakeFirst()
      if (!row) return undefined
      const account = row.booked - row.reserved + row.credit_limit
      return { ...toReservation(row), spare: { account, leash: row.leash === null ? Infinity : 0 } }
    },

    async countSessions(accountId, purpose, { than, since }) {
      const counts = await countOthers(accountId, purpose, than, since)
      return { open: counts?.open ?? 0, started: counts?.started ?? 0 }
    },

    async book(accountId, booking) {
      const { available } = await lock(accountId)
      if (await entry(db, accountId, booking.key)) return 'known'
      const taken = booking.postings.reduce((sum, { book, amount }) => sum + (book === 'balance' ? amount : 0), 0)
      if (taken < 0 && available + taken < 0) return 'not_covered'
      await change(accountId, { amount: taken, reserved: 0 })
      await writeEntry(db, accountId, booking)
      return 'booked'
    },

    findEntry: (accountId, key) => entry(db, accountId, key),

    async listEntries(accountId, { before = Number.MAX_SAFE_INTEGER, limit, offset = 0 }) {
      const rows = await entries(db, accountId)
        .where('ledger_posting.id', '<', before)
        .orderBy('ledger_posting.id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute()
      return rows.map(toEntry)
    },
  }
}

const dayMs = 24 * 60 * 60 * 1000
const dayOf = (at: number): number => Math.floor(at / dayMs)

interface Wallet extends Balance {
  available: number
}

const entryKey = (accountId: string, key: string): string => `${accountId}:${key}`

const writeEntry = async (db: Db, accountId: string, { key, reason, sessionId, actor, at, spent, postings }: Booking): Promise<void> => {
  const sum = postings.reduce((total, { amount }) => total + amount, 0)
  if (postings.length < 2 || sum !== 0 || !postings.every(({ amount }) => Number.isSafeInteger(amount)))
    throw new Error('a ledger entry does not balance')
  const id = randomUUID()
  await db
    .insertInto('ledger_entry')
    .values({
      id,
      idempotency_key: entryKey(accountId, key),
      account_id: accountId,
      reason,
      session_id: sessionId ?? null,
      actor,
      at,
      ...toSpentColumns(spent),
    })
    .execute()
  await db
    .insertInto('ledger_posting')
    .values(postings.map(({ book, amount }) => ({ entry_id: id, account_id: accountId, book, amount })))
    .execute()
}

const toSpentColumns = (spent: Spent | undefined) => ({
  purpose: spent?.purpose ?? null,
  number: spent?.number ?? null,
  user_ext: spent?.userId ?? null,
  country: spent?.country ?? null,
  seconds: spent?.seconds ?? null,
  units: spent?.units ?? null,
})

/** Every entry has exactly one posting in the customer's balance, so that posting represents it. */
const entries = (db: Db, accountId: string) =>
  db
    .selectFrom('ledger_posting')
    .innerJoin('ledger_entry', 'ledger_entry.id', 'ledger_posting.entry_id')
    .select([
      'ledger_posting.id as position',
      'ledger_posting.amount',
      'ledger_entry.id',
      'idempotency_key',
      'reason',
      'session_id',
      'actor',
      'at',
    ])
    .where('ledger_posting.account_id', '=', accountId)
    .where('book', '=', 'balance')

const entry = async (db: Db, accountId: string, key: string): Promise<LedgerEntry | undefined> => {
  const row = await entries(db, accountId).where('idempotency_key', '=', entryKey(accountId, key)).executeTakeFirst()
  return row && toEntry(row)
}

type EntryRow = Pick<Selectable<Schema['ledger_entry']>, 'id' | 'idempotency_key' | 'reason' | 'session_id' | 'actor' | 'at'> & {
  position: number
  amount: number
}

const toEntry = (row: EntryRow): LedgerEntry => ({
  id: row.id,
  position: row.position,
  key: row.idempotency_key.slice(row.idempotency_key.indexOf(':') + 1),
  reason: row.reason,
  sessionId: row.session_id ?? undefined,
  actor: row.actor,
  at: row.at,
  amount: row.amount,
})

const toBalance = (row: Schema['balance']): Balance => ({
  currency: row.currency,
  amount: row.amount,
  reserved: row.reserved,
  creditLimit: row.credit_limit,
})

const toReservation = (row: Schema['reservation']): Reservation => ({
  sessionId: row.session_id,
  purpose: row.purpose,
  amount: row.amount,
  state: row.state,
  detail: JSON.parse(row.detail) as unknown,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  leash: row.leash ?? undefined,
})
