import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { openTestStore } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { CreditWhileAway, raisedReservation, writeRaisedReservation } from '#core/money/credit-while-away.ts'
import { topUp } from '#core/money/funds.ts'
import { fundsOf, paidSeconds, reserveCall } from '#core/money/reservations.ts'
import type { Payer } from '#core/money/rates.ts'
import { callCost } from '#core/money/rating.ts'
import type { Rate } from '#core/kernel/ports/store/money.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'
import { StoreUnavailable, type JournalFile, type Store, type StoreReach } from '#core/kernel/ports/store/index.ts'
import { lastSign, leaseMs } from '#core/kernel/work/leases.ts'
import { WaitingWrites } from '#core/kernel/work/waiting-writes.ts'
import { writeOrJournal } from '#core/kernel/work/write-with-retry.ts'
import { Tasks } from '#core/kernel/work/worker.ts'
import { Meter } from './meter.ts'
import { Prepaid, settleMeter, type SavedMeter } from './prepaid.ts'

const number = '+49211635'
const maxMs = 10 * 60_000
const anyRate: fc.Arbitrary<Rate> = fc.record({
  connectFee: fc.constantFrom(0, 500),
  ratePerMinute: fc.constantFrom(190, 990, 6_000),
  minSeconds: fc.constantFrom(0, 1, 60),
  incrementSeconds: fc.constantFrom(1, 6, 60),
  perUnit: fc.constant(0),
  blocked: fc.constant(false),
})

/** Lines that survive the process. */
class Disk implements JournalFile {
  #lines: string[] = []
  lines = (): Promise<string[]> => Promise.resolve(this.#lines)
  append = (lines: readonly string[]): Promise<void> => Promise.resolve(void this.#lines.push(...lines))
  clear = (): Promise<void> => Promise.resolve(void (this.#lines = []))
  close = (): Promise<void> => Promise.resolve()
}

interface Bank {
  store: Store
  clock: VirtualClock
  tasks: Tasks
  vault: Vault
  payer: Payer
  rate: Rate
}

/** One process, whose database can be unreachable. */
class Node {
  readonly owner = randomUUID()
  readonly journal: WaitingWrites
  readonly credit: CreditWhileAway
  readonly store: Store
  readonly bank: Bank
  readonly #watchers = new Set<(away: boolean) => void>()
  #awaySince: number | undefined
  /** Last time it reached the database. */
  aliveAt = 0
  dead = false

  constructor(bank: Bank, { disk, nodes }: { disk: Disk; nodes: number }) {
    const { store, clock, vault } = bank
    this.bank = bank
    const awaySince = (): number | undefined => this.#awaySince
    const watchers = this.#watchers
    const reach: StoreReach = {
      get awayMs() {
        const since = awaySince()
        return since === undefined ? 0 : Math.max(1, clock.now() - since)
      },
      now: () => Promise.resolve(clock.now()),
      room: undefined,
      answers: () => Promise.resolve(awaySince() === undefined),
      watch: (watcher) => {
        watchers.add(watcher)
        return () => watchers.delete(watcher)
      },
    }
    const write: Store['write'] = (work) =>
      this.dead || this.#awaySince !== undefined ? Promise.reject(new StoreUnavailable(undefined)) : store.write(work)
    this.store = { ...store, write, reach }
    this.journal = new WaitingWrites({ store: this.store, clock, file: disk, vault, onFailure: (error) => assert.fail(String(error)) })
    this.journal.writes(raisedReservation, writeRaisedReservation(clock, this.owner))
    this.journal.writes('ended', async (tables, payload) => {
      const { saved, at } = payload as { saved: SavedMeter; at: number }
      await settleMeter(tables, clock, saved, at)
    })
    const keep: WaitingWrites['keep'] = (entry) => (this.dead ? Promise.resolve(false) : this.journal.keep(entry))
    this.credit = new CreditWhileAway({ maxMs, reach, journal: { keep }, clock, nodes: () => nodes, owner: this.owner })
  }

  get awaySince(): number | undefined {
    return this.#awaySince
  }

  setAway(away: boolean): void {
    if (away === (this.#awaySince !== undefined)) return
    if (away && !this.dead) this.aliveAt = this.bank.clock.now()
    this.#awaySince = away ? this.bank.clock.now() : undefined
    for (const watcher of this.#watchers) watcher(away)
  }
}

/** One paid leg. */
class Talk {
  readonly node: Node
  readonly money: Prepaid
  readonly #meter: Meter
  #answeredAt: number | undefined
  #endedAt: number | undefined
  #settling: Promise<void> | undefined
  #lost: SavedMeter | undefined

  constructor(node: Node, held: ConstructorParameters<typeof Prepaid>[1]) {
    const { clock, tasks } = node.bank
    this.node = node
    const { store, credit, journal } = node
    const closing = new AbortController().signal
    this.money = new Prepaid({ store, clock, tasks, closing, credit, journal, onFailure: () => {} }, held, () => {})
    this.#meter = new Meter(this.money)
    this.#meter.notify({
      runsOut: (ms) => void clock.after(Math.floor(ms), () => this.end()),
      unknown: () => this.end(),
      isOurs: () => Promise.resolve(true),
    })
  }

  answer(): void {
    if (this.#answeredAt !== undefined || this.#endedAt !== undefined) return
    this.#answeredAt = this.node.bank.clock.now()
    this.#meter.start()
  }

  end(): void {
    if (this.#endedAt !== undefined) return
    const { clock, tasks } = this.node.bank
    const saved = JSON.parse(JSON.stringify(this.money.saved)) as SavedMeter
    this.#endedAt = clock.now()
    this.#meter.stop()
    if (this.node.dead) return void (this.#lost = { ...saved, held: 0 })
    const { store, journal } = this.node
    const books = { store, clock, tasks, closing: new AbortController().signal, journal, onFailure: () => {} }
    const entry = { kind: 'ended', id: 'x', payload: { saved: this.money.saved, at: this.#endedAt } }
    this.#settling = writeOrJournal(
      books,
      'x',
      (tables) => this.money.settle(tables),
      () => entry,
    )
  }

  /** Another process ends the call of a dead one, as it was saved before the outage. */
  async recover(): Promise<void> {
    await this.#settling
    const { store, clock } = this.node.bank
    const lost = this.#lost
    const until = Math.max(this.node.aliveAt, this.#answeredAt ?? 0)
    if (lost) await store.write((tables) => settleMeter(tables, clock, lost, until))
  }

  get cost(): number {
    if (this.#answeredAt === undefined) return 0
    return callCost(this.node.bank.rate, Math.max(1, Math.floor((this.endedAt - this.#answeredAt) / 1000)))
  }

  get endedAt(): number {
    return this.#endedAt ?? assert.fail('still running')
  }

  get lost(): boolean {
    return this.#lost !== undefined
  }
}

const anyIndex = fc.integer({ min: 0, max: 3 })
const anyStep = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 200_000 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('lose' as const), at: anyIndex }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('find' as const), at: anyIndex }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('hang up' as const), at: anyIndex }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const), at: anyIndex }) },
)

const anyCourse = fc.record({
  rate: anyRate,
  nodes: fc.integer({ min: 1, max: 2 }),
  calls: fc.integer({ min: 1, max: 4 }),
  money: fc.oneof(fc.integer({ min: 1_000, max: 60_000 }), fc.constant(1_000_000)),
  recoverFirst: fc.boolean(),
  steps: fc.array(anyStep, { minLength: 4, maxLength: 20 }),
})
type Course = typeof anyCourse extends fc.Arbitrary<infer T> ? T : never

const openBank = async (store: Store, { rate, money }: Pick<Course, 'rate' | 'money'>): Promise<Bank> => {
  const tasks = new Tasks()
  const clock = new VirtualClock(undefined, () => tasks.idle())
  const vault = await openVault({ key: randomBytes(32).toString('base64'), file: '' })
  const tariffId = randomUUID()
  const id = await store.write(async (tables) => {
    await tables.tariffs.insert({ id: tariffId, name: 'Any', currency: 'EUR', createdAt: 0 })
    const price = { ...rate, service: 'CALL', prefix: number.slice(1), validFrom: 0, validUntil: undefined } as const
    await tables.tariffs.insertRate(tariffId, price)
    const accountId = await createAccount(tables, clock, { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR', tariffId })
    await tables.limits.set(accountId, { perDay: 10_000_000 })
    await topUp(tables, clock, { accountId, amount: money, reason: 'r', idempotencyKey: randomUUID(), actor: 'test' })
    return accountId
  })
  return { store, clock, tasks, vault, rate, payer: { id, tariffId, country: 'DE' } }
}

const openTalk = async (node: Node): Promise<Talk | undefined> => {
  const { store, clock, payer } = node.bank
  const sessionId = randomUUID()
  const input = { payer, sessionId, purpose: 'CALL', destinations: [number] } as const
  const reservation = await store.write((tables) => reserveCall(tables, clock, input)).catch(() => undefined)
  if (!reservation) return undefined
  return new Talk(node, { accountId: payer.id, sessionId, paid: paidSeconds(reservation), funds: fundsOf(reservation) })
}

const play = async (store: Store, course: Course): Promise<void> => {
  const bank = await openBank(store, course)
  const { clock, payer } = bank
  const disks = Array.from({ length: course.nodes }, () => new Disk())
  const nodes = disks.map((disk) => new Node(bank, { disk, nodes: course.nodes }))
  const talks: Talk[] = []
  for (let index = 0; index < course.calls; index++) {
    const talk = await openTalk(nodes[index % nodes.length] ?? assert.fail())
    if (talk) talks.push(talk)
  }
  for (const talk of talks) talk.answer()
  let anyDead = false
  for (const step of course.steps) {
    const node = 'at' in step ? nodes[step.at % nodes.length] : undefined
    if (step.do === 'wait') await clock.advance(step.ms)
    if (step.do === 'lose') node?.setAway(true)
    if (step.do === 'find') node?.setAway(false)
    if (step.do === 'hang up') talks[step.at]?.end()
    if (step.do === 'kill' && node && !node.dead) {
      if (node.awaySince === undefined) node.aliveAt = clock.now()
      node.dead = anyDead = true
      for (const talk of talks) if (talk.node === node) talk.end()
    }
    if (step.do === 'wait') for (const { awaySince } of nodes) if (awaySince !== undefined) assertTimely(talks, clock.now())
  }
  for (const node of nodes) if (!node.dead) node.setAway(false)
  for (const talk of talks) talk.end()
  await clock.advance(120_000)
  const recover = async (): Promise<void> => {
    for (const talk of talks) await talk.recover()
  }
  if (course.recoverFirst) await recover()
  for (const [index, node] of nodes.entries())
    if (node.dead) await new Node(bank, { disk: disks[index] ?? assert.fail(), nodes: course.nodes }).journal.start()
  for (const { journal } of nodes) await journal.idle()
  await recover()

  const balance = (await store.read.balances.find(payer.id)) ?? assert.fail()
  const entries = await store.read.balances.listEntries(payer.id, { limit: 100 })
  const charged = course.money - balance.amount
  const cost = talks.reduce((sum, talk) => sum + talk.cost, 0)
  assert.ok(balance.amount >= 0 && charged <= cost, `${charged} for ${cost}`)
  assert.equal(balance.reserved, 0)
  assert.equal(
    entries.reduce((sum, { amount }) => sum + amount, 0),
    balance.amount,
    'the balance is the sum of the ledger',
  )
  assert.equal(new Set(entries.map(({ sessionId }) => sessionId)).size, entries.length, 'each session is charged once')
  if (course.nodes === 1) assert.ok(cost <= course.money, 'a node alone never grants more than there is')
  if (!anyDead && (course.nodes === 1 || course.money === 1_000_000)) assert.equal(charged, cost, 'the whole talk time is charged')
  for (const { journal } of nodes) await journal.close()
}

/** No call outlives the time limit of the outage and a slice. */
const assertTimely = (talks: readonly Talk[], now: number): void => {
  for (const { node, money } of talks) {
    const since = node.awaySince
    if (since !== undefined && !money.over) assert.ok(now - since <= maxMs + 1_000, `${now - since} ms without the database`)
  }
}

test('charges calls that went on without the database once, and never more than the account has', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  await fc.assert(
    fc.asyncProperty(anyCourse, (course) => play(store, course)),
    { numRuns: 60, seed: 20_261_119 },
  )
})

const minute: Rate = { connectFee: 0, ratePerMinute: 1_000, minSeconds: 1, incrementSeconds: 1, perUnit: 0, blocked: false }

test('keeps a paid call for ten minutes without the database, then ends it', async (t) => {
  const bank = await openBank(await openTestStore(t, 'sqlite'), { rate: minute, money: 1_000_000 })
  const node = new Node(bank, { disk: new Disk(), nodes: 3 })
  const talk = (await openTalk(node)) ?? assert.fail()
  talk.answer()
  await bank.clock.advance(30_000)
  const since = bank.clock.now()
  node.setAway(true)
  await bank.clock.advance(590_000)
  assert.equal(talk.money.over, false)
  await bank.clock.advance(20_000)
  assert.equal(talk.endedAt - since, maxMs)
  node.setAway(false)
  await node.journal.idle()
  assert.deepEqual(await bank.store.read.balances.find(bank.payer.id).then((found) => [found?.amount, found?.reserved]), [989_500, 0])
})

test("gives an account's calls only this node's share of its money", async (t) => {
  const bank = await openBank(await openTestStore(t, 'sqlite'), { rate: minute, money: 12_000 })
  const node = new Node(bank, { disk: new Disk(), nodes: 2 })
  const talks = [await openTalk(node), await openTalk(node)].map((talk) => talk ?? assert.fail())
  for (const talk of talks) talk.answer()
  node.setAway(true)
  const since = bank.clock.now()
  await bank.clock.advance(600_000)
  // Each has paid for a minute; half of the other ten is for both.
  assert.deepEqual(
    talks.reduce((sum, { endedAt }) => sum + (endedAt - since) / 1000, 0),
    120 + 300,
  )
})

test('charges a process that died without the database up to its last reservation', async (t) => {
  const bank = await openBank(await openTestStore(t, 'sqlite'), { rate: minute, money: 1_000_000 })
  const { store, clock } = bank
  const disk = new Disk()
  const node = new Node(bank, { disk, nodes: 1 })
  const talk = (await openTalk(node)) ?? assert.fail()
  talk.answer()
  const answeredAt = clock.now()
  await store.write(({ leases }) => leases.renew({ owner: node.owner, until: answeredAt + leaseMs }))
  node.setAway(true)
  await clock.advance(180_000)
  node.dead = true
  talk.end()
  const next = new Node(bank, { disk, nodes: 1 })
  await next.journal.start()
  const lease = (await store.read.leases.find(node.owner)) ?? assert.fail()
  assert.equal(lastSign(lease) - answeredAt, 170_000)
  node.aliveAt = lastSign(lease)
  await talk.recover()
  const balance = await store.read.balances.find(bank.payer.id)
  assert.equal(1_000_000 - (balance?.amount ?? 0), Math.ceil((170 * 1_000) / 60))
})
