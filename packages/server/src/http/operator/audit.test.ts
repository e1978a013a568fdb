import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext } from 'node:test'
import { databases, startWorld, type World } from '#test/world/world.ts'

const write = (world: World, chain: string, count: number): Promise<void> =>
  world.write(async ({ audit }) => {
    for (let i = 1; i <= count; i++)
      await audit.append(chain, {
        at: world.clock.now() + i,
        actor: 'user:w0',
        action: 'thing.do',
        target: `t${i}`,
        detail: { i, note: 'ä"\n' },
      })
  })

for (const database of databases) {
  test(`${database}: reads the log by page and verifies it as a whole`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const before = await operator.verifyAudit()
    await write(world, '1234567', 503)
    await write(world, '7654321', 1)
    const { items } = await operator.listAudit({ chain: '1234567', after: 499, limit: 2 })
    assert.deepEqual(
      items.map(({ seq, target }) => [seq, target]),
      [
        [500, 't500'],
        [501, 't501'],
      ],
    )
    assert.equal(items[1]?.previousHash, items[0]?.hash)
    assert.deepEqual((await operator.listAudit({ chain: 'nothing' })).items, [])
    const newest = async (before: number) => (await operator.listAudit({ chain: '1234567', before, limit: 2 })).items.map(({ seq }) => seq)
    const [last = 0, second] = await newest(0)
    assert.deepEqual([second, await newest(last - 1)], [last - 1, [last - 2, last - 3]])
    assert.deepEqual([await newest(2), await newest(1)], [[1], []])
    await assert.rejects(operator.listAudit({ limit: 1000 }), { status: 400 })
    assert.deepEqual(await operator.verifyAudit(), { chains: before.chains + 2, entries: before.entries + 504, broken: [] })
  })
}

/** The database as seen by an intruder with the file, who disables all safeguards. */
const openFile = (t: TestContext, world: World): DatabaseSync => {
  const file = new DatabaseSync(join(world.data, 'offhook.db'), { timeout: 5000 })
  t.after(() => file.close())
  const triggers = file.prepare(`select name from sqlite_master where type = 'trigger' and tbl_name = 'audit'`).all()
  for (const { name } of triggers) file.exec(`drop trigger ${String(name)}`)
  return file
}

const columns = ['at', 'actor', 'action', 'target', 'detail', 'previous_hash', 'hash']

test('names the changed entry for any change in the table', async (t) => {
  const world = await startWorld(t)
  const operator = await world.operator()
  await write(world, '1234567', 20)
  await write(world, '7654321', 3)
  const file = openFile(t, world)
  const verify = async () => (await operator.verifyAudit()).broken
  const put = (column: string, value: unknown) =>
    file.prepare(`update audit set ${column} = ? where chain = '1234567' and seq = 13`).run(value as string)

  for (const column of columns) {
    const row = file.prepare(`select ${column} as value from audit where chain = '1234567' and seq = 13`).get() as {
      value: string | number
    }
    const flips = typeof row.value === 'number' ? [row.value + 1] : Array.from(row.value, (_, i) => flip(String(row.value), i))
    for (const changed of flips) {
      put(column, changed)
      assert.deepEqual(await verify(), [{ chain: '1234567', seq: 13 }], `${column} = ${changed}`)
    }
    put(column, row.value)
    assert.deepEqual(await verify(), [])
  }
})

test('detects removed entries and a reset head', async (t) => {
  const world = await startWorld(t)
  const operator = await world.operator()
  await write(world, 'middle', 5)
  await write(world, 'newest', 5)
  await write(world, 'head', 5)
  await write(world, 'headless', 5)
  const file = openFile(t, world)
  file.exec(`delete from audit where chain = 'middle' and seq = 2`)
  file.exec(`delete from audit where chain = 'newest' and seq = 5`)
  file.exec(`update audit_head set seq = 3 where chain = 'head'`)
  file.exec(`delete from audit_head where chain = 'headless'`)
  assert.deepEqual((await operator.verifyAudit()).broken, [
    { chain: 'head', seq: 5 },
    { chain: 'headless', seq: 5 },
    { chain: 'middle', seq: 2 },
    { chain: 'newest', seq: 5 },
  ])
})

/** Flips one bit of one character. */
const flip = (text: string, at: number): string => text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1)
