import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { openPushFixture } from '#test/fixtures/push-fixture.ts'
import { ExchangeLog, exchangeSweep } from './exchange-log.ts'

const day = 24 * 60 * 60 * 1000

for (const database of databases) {
  test(`${database}: keeps any reply text, limited in size, number and age`, async (t) => {
    const { store, clock, accountId } = await openPushFixture(t, database)
    const log = new ExchangeLog({ store, clock, onError: (error) => assert.fail(String(error)) })
    const said = { accountId, callId: 'c', line: undefined, event: 'newCall', request: 'event=newCall', status: 200 } as const
    const record = (response: string) => log.record({ ...said, url: 'https://user:secret@c.example/in?a=1', response, xmlError: undefined })
    record('a\0b')
    record('x'.repeat(100_000))
    for (let n = 0; n < 300; n++) record(String(n))
    await log.flush()
    const list = () => store.read.pushExchanges.list(accountId, { limit: 1000 })
    const [first, second] = (await list()).toReversed()
    assert.equal(first?.response, 'a\uFFFDb')
    assert.equal(first?.url, 'https://c.example/in?a=1')
    assert.equal(second?.response.length, 16 * 1024)
    const sweep = () => store.write((tables) => exchangeSweep.run(tables, clock.now()))
    await sweep()
    const kept = await list()
    assert.deepEqual([kept.length, kept[0]?.response, kept.at(-1)?.response], [200, '299', '100'])
    await clock.jump(7 * day)
    record('new')
    await log.close()
    await sweep()
    assert.equal((await list()).length, 200, 'a week is not over yet')
    await clock.advance(1)
    await sweep()
    assert.deepEqual(
      (await list()).map(({ response }) => response),
      ['new'],
    )
  })
}
