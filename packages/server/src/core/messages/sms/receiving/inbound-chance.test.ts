// test: chance
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { dice } from '#test/chance/dice.ts'
import { openSmsFixture, type SmsFixture } from '#test/sms/sms-fixture.ts'
import type { InboundSms } from '#core/kernel/ports/messages.ts'
import { StoreUnavailable, type Store } from '#core/kernel/ports/store/index.ts'

type Roll = (sides: number) => number

const senders = ['4915112345601', '4915112345602', 'Bank']
const messages = 24
const hour = 3_600_000

/** Writes that fail before any effect, or take effect without an answer. */
const unreliable =
  (roll: Roll, calm: () => boolean) =>
  (store: Store): Store => ({
    read: store.read,
    reach: undefined,
    longReads: undefined,
    close: () => store.close(),
    write: async (work) => {
      const luck = calm() ? 9 : roll(10)
      if (luck === 0) throw new StoreUnavailable('gone')
      const result = await store.write(work)
      if (luck === 1) throw new StoreUnavailable('gone after all')
      return result
    },
  })

/** Long messages of several senders in parts; each reference wraps around after four messages of the same sender. */
const composed = (recipient: string, roll: Roll): { text: string; pieces: InboundSms[] }[] =>
  Array.from({ length: messages }, (_, index) => {
    const sender = senders[index % senders.length]!
    const total = 2 + roll(4)
    const words = Array.from({ length: total }, (_, part) => `m${index}p${part}${roll(2) === 0 ? '😀' : ''}.`)
    const reference = Math.floor(index / senders.length) % 4
    const pieces = words.map((text, part) => ({ sender, recipient, text, of: { reference, total, number: part + 1 } }))
    return { text: words.join(''), pieces }
  })

/** Repeats until confirmed, as a message centre does; then occasionally once more. */
const deliver = async (fixture: SmsFixture, roll: Roll, sms: InboundSms): Promise<void> => {
  for (let confirmed = false; !confirmed || roll(6) === 0;) {
    confirmed = await fixture.receiver.arrived('smpp', sms).then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof StoreUnavailable, String(error))
        return false
      },
    )
  }
}

const shuffled = <Item>(items: readonly Item[], roll: Roll): Item[] => {
  const left = [...items]
  return items.map(() => left.splice(roll(left.length), 1)[0]!)
}

const run = async (fixture: SmsFixture, roll: Roll): Promise<void> => {
  const ada = await fixture.newWriter()
  const all = composed(ada.number, roll)
  // Two messages of each sender are in flight at a time, in any order.
  for (let first = 0; first < all.length; first += 2 * senders.length) {
    const underWay = all.slice(first, first + 2 * senders.length).flatMap(({ pieces }) => pieces)
    await Promise.all(shuffled(underWay, roll).map((sms) => deliver(fixture, roll, sms)))
    await fixture.clock.advance(roll(60_000))
  }
  const expected = all.map(({ text }) => text).toSorted()
  const seen = async (): Promise<string[]> => (await fixture.history(ada)).map(({ detail }) => detail.smsContent ?? '').toSorted()
  assert.deepEqual(await seen(), expected)
  await fixture.clock.jump(26 * hour)
  assert.deepEqual(await seen(), expected, 'nothing of it comes up again later')
}

for (const database of databases)
  for (const seed of database === 'sqlite' ? [1, 2] : [4])
    test(`${database}: receives long messages whole and once with reordered and repeated parts (${seed})`, async (t) => {
      const roll = dice(seed)
      let calm = true
      const fixture = await openSmsFixture(t, database, { through: unreliable(roll, () => calm) })
      calm = false
      t.after(() => (calm = true))
      await run(fixture, roll)
    })
