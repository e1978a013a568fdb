// test: own process
import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import { offhook, output } from '#test/machine/program.ts'
import { readArchive } from '#test/privacy/read-archive.ts'
import { startWorld } from '#test/world/world.ts'

test('export-data writes an archive; erase schedules an erasure and cancels it', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const as = (token: string, ...args: string[]) => output(offhook(t, args, { OFFHOOK_URL: world.url, OFFHOOK_TOKEN: token }))
  const file = join(world.data, 'bob.tar')
  const [exit, , said] = await as(ada.token, 'export-data', 'user', bob.userId, '-o', file)
  assert.equal(exit, 0, said)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.ok((await readArchive(await readFile(file)))['data/app_user.json']?.toString().includes(bob.email))
  const [again, , why] = await as(ada.token, 'export-data', 'user', bob.userId, '-o', file)
  assert.deepEqual([again, /is there already/.test(why)], [1, true])

  const [erased, id, until] = await as(ada.token, 'erase', 'user', bob.userId, '--grace', '3')
  assert.equal(erased, 0, until)
  const erasureId = id.trim()
  assert.match(until, new RegExp(`offhook erase --cancel ${erasureId}`))
  assert.equal((await ada.api.getErasure({ erasureId })).state, 'SCHEDULED')
  assert.equal((await as(ada.token, 'erase', '--cancel', erasureId))[0], 0)
  assert.equal((await ada.api.getErasure({ erasureId })).state, 'CANCELLED')

  for (const [args, words] of [
    [['export-data', 'person', 'w1'], /person\? There are: account, user, contact, number/],
    [['export-data', 'user'], /Which user\?/],
    [['export-data', 'account', '1234567'], /account takes no id/],
    [['erase'], /Name what to erase/],
    [['erase', 'user', 'w1', '--grace', 'soon'], /a number of days/],
    [['erase', 'user', 'w99'], /There is no user with this id/],
  ] as const) {
    const [code, , error] = await as(ada.token, ...args)
    assert.ok(code !== 0 && words.test(error), `${args.join(' ')}: ${error}`)
  }
})

test('acts as the operator with --account', async (t) => {
  const world = await startWorld(t)
  const { accountId } = await world.newAccount('Planted Ltd')
  const operator = await world.operator()
  const token = await world.write(async (tables) => {
    const [{ id: operatorId } = assert.fail()] = await tables.operators.list()
    return issueToken(tables, world.clock, { kind: 'operator', holder: { operatorId }, subject: operatorId, scopes: ['all'] })
  })
  const asOperator = (...args: string[]) => output(offhook(t, [...args, '--account', accountId, '--url', world.url, '--token', token]))
  const file = join(world.data, 'account.tar')
  const [exit, , said] = await asOperator('export-data', 'account', '-o', file)
  assert.equal(exit, 0, said)
  assert.match((await readArchive(await readFile(file)))['data/account.json']?.toString() ?? '', /Planted Ltd/)
  const [erased, id] = await asOperator('erase', 'account')
  assert.equal(erased, 0)
  assert.equal((await operator.readAccountErasure({ erasureId: id.trim() })).subject.type, 'ACCOUNT')
  assert.equal((await asOperator('erase', '--cancel', id.trim()))[0], 0)
})
