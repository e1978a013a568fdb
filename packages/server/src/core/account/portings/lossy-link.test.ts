// test: chance
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '@offhook/contract/problem.ts'
import { fc } from '#test/chance/fast-check.ts'
import { deliveryFaults, LossyLink, openPair, type DeliveryFault, type Side } from '#test/fixtures/porting-carriers.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { createAccount } from '../accounts/create-account.ts'
import { changeAddress } from '../addresses/change-address.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import { assignNumber, reactivateNumber } from '../numbers/assign-number.ts'
import type { Address, AccountNumber, StoredPorting } from '#core/kernel/ports/store/number.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { correctPorting, orderPorting, revokePorting } from './customer.ts'
import { applyOperatorEvent, askForDate } from './operator.ts'
import { utcDate } from './donor.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour
const marketplace = { poBox: '', extendedAddress: '', street: 'Marktplatz', houseNumber: '2', region: '', country: 'DE' }
const here = { ...marketplace, locality: 'Düsseldorf', postalCode: '40213' }
const elsewhere = { ...marketplace, locality: 'Köln', postalCode: '50667' }
const holder = { name: 'Bakery', street: 'Marktplatz', number: '2', postcode: '40213', city: 'Düsseldorf', country: 'DE' }
const outsideNumber = { ...holder, name: 'Somebody Else' }

/** One number and its attempted porting from `donor` to `recipient`. */
class Story {
  readonly clock: VirtualClock
  readonly link: LossyLink
  readonly donor: Side
  readonly recipient: Side
  readonly number: string
  #numberId = ''
  #portingId = 0

  constructor(clock: VirtualClock, link: LossyLink, sides: { donor: Side; recipient: Side }, number: string) {
    this.clock = clock
    this.link = link
    this.donor = sides.donor
    this.recipient = sides.recipient
    this.number = number
  }

  async begin(): Promise<void> {
    const { accountId, addressId } = this.donor
    const assignment = { accountId, number: this.number, addressId: String(addressId) }
    for (const side of [this.donor, this.recipient]) {
      const since = await side.store.read.portings.page({ after: side.earlier, limit: 100 })
      side.earlier = since.at(-1)?.id ?? side.earlier
    }
    await this.#try(this.donor, (tables) => this.#moveTo(tables, here))
    this.#numberId = `${this.number}-first`
    await this.donor.store.write((tables) => assignNumber(tables, this.clock, this.#numberId, assignment))
    await this.order()
  }

  order = (): Promise<void> =>
    this.#try(this.recipient, async (tables, caller) => {
      const input = { numbers: [this.number], holder, carrier: 'DONOR', email: 'holder@example.com' }
      this.#portingId = (await orderPorting(tables, this.recipient.context, caller, input)).id
    })

  operate = (event: string): Promise<void> =>
    this.#try(this.recipient, (tables) =>
      applyOperatorEvent(tables, this.recipient.context, this.#portingId, { event, actor: 'operator:test' }),
    )

  revoke = (): Promise<void> =>
    this.#try(this.recipient, (tables, caller) => revokePorting(tables, this.recipient.context, caller, this.#portingId))

  correct = (rightly: boolean): Promise<void> =>
    this.#try(this.recipient, (tables, caller) =>
      correctPorting(tables, this.recipient.context, caller, this.#portingId, { holder: rightly ? holder : outsideNumber }),
    )

  moveDate = (days: number): Promise<void> =>
    this.#try(this.recipient, (tables) =>
      askForDate(tables, this.recipient.context, this.#portingId, utcDate(this.clock.now() + days * day)),
    )

  moveAway = (): Promise<void> => this.#try(this.donor, (tables) => this.#moveTo(tables, elsewhere))

  moveBack = (): Promise<void> =>
    this.#try(this.donor, async (tables) => {
      await this.#moveTo(tables, here)
      const number = await tables.numbers.lock(this.donor.accountId, this.#numberId)
      if (number) await reactivateNumber(tables, number)
    })

  /** The customer moves away, and the operator assigns the freed number to another account. */
  giveAway = (): Promise<void> =>
    this.#try(this.donor, async (tables) => {
      await this.#moveTo(tables, elsewhere)
      const account = { company: 'Dairy', country: 'DE', locale: 'en_US', currency: 'EUR' } as const
      const accountId = await createAccount(tables, this.clock, account)
      const addressId = String(await tables.addresses.insert(accountId, here, this.clock.now()))
      await assignNumber(tables, this.clock, `${this.number}-second`, { accountId, number: this.number, addressId })
    })

  #moveTo(tables: Tables, place: Omit<Address, 'id'>): Promise<void> {
    const { accountId, addressId } = this.donor
    return changeAddress(tables, this.clock, { accountId, actor: 'user:w0', address: { id: addressId, ...place } })
  }

  /** Tolerates rejections by the rules; any other error fails the test. */
  async #try({ store, workers, accountId }: Side, work: (tables: Tables, caller: UserCaller) => Promise<unknown>): Promise<void> {
    const caller: UserCaller = { kind: 'user', accountId, userId: 'w0', admin: true, scopes: ['all'], tokenId: 'test' }
    try {
      await store.write((tables) => work(tables, caller))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
    }
    workers.wake()
  }

  async #rows({ store }: Side): Promise<AccountNumber[]> {
    return store.read.numbers.page({ after: '', limit: 10, e164: this.number })
  }

  async #portings(side: Side): Promise<StoredPorting[]> {
    const all = await side.store.read.portings.page({ after: side.earlier, limit: 100 })
    return all.filter(({ numbers }) => numbers.some(({ e164 }) => e164 === this.number))
  }

  /** Invariant: the number rings at one place at most, and while it rings nowhere a switch is in progress. */
  async check(): Promise<void> {
    const [donated, received] = [await this.#rows(this.donor), await this.#rows(this.recipient)]
    const rings = [...donated, ...received].filter(({ state }) => state === 'ACTIVE' || state === 'ADDRESS_PENDING').length
    assert.ok(rings <= 1, 'the number rings at two places')
    if (rings === 1 || donated.some(({ state }) => state === 'DEACTIVATED')) return
    const switching = (await this.#portings(this.recipient)).some(({ status }) => status === 450 || status === 451)
    assert.ok(switching, 'the number rings nowhere and no carrier is going to take it')
  }

  /** With a working link every porting finishes, and both carriers agree about it. */
  async end(): Promise<void> {
    this.link.fates = []
    this.link.down = false
    await this.link.deliverLate()
    for (let weeks = 0; weeks < 7; weeks++) {
      await this.clock.jump(7 * day)
      await this.check()
    }
    const left = (await this.#rows(this.donor)).some(({ state }) => state === 'PORTED_OUT')
    const [arrived] = await this.#rows(this.recipient)
    if (left) assert.equal(arrived?.state, 'ACTIVE', 'the number was let go and never arrived')
    const underWay = (await this.#portings(this.recipient)).some(({ status }) => [170, 250, 251, 400, 450, 451].includes(status))
    const promised = (await this.#portings(this.donor)).some(({ status }) => status !== 500 && status !== 600)
    assert.ok(underWay || !promised, 'the number is promised to a carrier that does not want it')
  }
}

const steps: Record<string, (story: Story) => Promise<void>> = {
  order: (story) => story.order(),
  consent: (story) => story.operate('optin_clicked'),
  'ask for consent again': (story) => story.operate('optin_mail_sent'),
  revoke: (story) => story.revoke(),
  correct: (story) => story.correct(true),
  'correct wrongly': (story) => story.correct(false),
  'by paper': (story) => story.operate('fall_back_to_form'),
  'send the request again': (story) => story.operate('request_sent'),
  'open the exchange': (story) => story.operate('exchange_opened'),
  'doubt the exchange': (story) => story.operate('exchange_failed'),
  'cancel by staff': (story) => story.operate('cancel_requested'),
  earlier: (story) => story.moveDate(8),
  later: (story) => story.moveDate(20),
  'move away': (story) => story.moveAway(),
  'move back': (story) => story.moveBack(),
  'give away': (story) => story.giveAway(),
  'late arrivals': (story) => story.link.deliverLate(),
  'link down': async (story) => void (story.link.down = true),
  'link up': async (story) => void (story.link.down = false),
  'a minute': (story) => story.clock.advance(60_000),
  hours: (story) => story.clock.advance(9 * hour),
  'a day': (story) => story.clock.advance(day),
  days: (story) => story.clock.advance(4 * day),
}

interface Step {
  name: string
  /** Faults of the next messages. */
  fates: DeliveryFault[]
}

const often = ['consent', 'consent', 'link down', 'link up', 'a minute', 'hours', 'a day', 'a day', 'days', 'days']
const anyStep: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom(...often, ...Object.keys(steps)),
  fates: fc.array(fc.constantFrom(...deliveryFaults), { maxLength: 3 }),
})

const step = (name: string, ...fate: DeliveryFault[]): Step => ({ name, fates: fate })
/** Most stories begin with an agreement, so that many reach the switch. */
const beginnings: Step[][] = [
  [],
  [step('consent', 'late')],
  [step('consent')],
  [step('consent'), step('earlier')],
  [step('consent'), step('days')],
  [step('consent'), step('days'), step('a day')],
]

test('keeps a number in service at one carrier when messages between carriers are lost, late or repeated', async (t) => {
  const link = new LossyLink()
  const { clock, donor, recipient } = await openPair(t, link)
  for (const side of [donor, recipient])
    await side.store.write(async (tables) => {
      side.addressId = await tables.addresses.insert(side.accountId, here, clock.now())
    })
  let stories = 0
  const story = fc.asyncProperty(
    fc.constantFrom(...beginnings),
    fc.array(anyStep, { minLength: 3, maxLength: 10 }),
    async (beginning, rest) => {
      const one = new Story(clock, link, { donor, recipient }, `+49211635${String(10_000 + ++stories)}`)
      await one.begin()
      for (const { name, fates: fate } of [...beginning, ...rest]) {
        link.fates = [...fate]
        await steps[name]?.(one)
        await clock.advance(0)
        await one.check()
      }
      await one.end()
    },
  )
  await fc.assert(story, { seed: 20261115, numRuns: 80, endOnFailure: true })
})
