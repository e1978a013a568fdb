import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, pathNames, type Operation } from '@offhook/contract'
import type { ErrorBody } from '@offhook/contract/problem.ts'
import { Value } from 'typebox/value'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import { permissions } from '#core/account/identity/caller/permissions.ts'
import { startWorld, type Person, type World } from '#test/world/world.ts'
import { userOperations } from './examples.ts'
import { fillAccount, provide } from './fixtures.ts'
import { aim, assertNoFault, bearer, send } from './requests.ts'

const names = (operation: Operation): boolean =>
  pathNames(operation.path).some((name) => operation.id === 'getTimeline' || !['callId', 'language', 'quickDialNumber'].includes(name))

const expiredToken = async (world: World, { accountId, userId }: Person): Promise<string> => {
  const lifetime = 60
  const issue = { kind: 'session', holder: { accountId, userId }, subject: userId, scopes: ['all'], lifetime } as const
  const token = await world.write((tables) => issueToken(tables, world.clock, issue))
  await world.clock.advance(lifetime * 1000)
  return token
}

test('rejects every operation without a valid token', async (t) => {
  const world = await startWorld(t)
  const { ada, ids } = await fillAccount(world)
  const expired = `Bearer ${await expiredToken(world, ada)}`
  const wrong = [undefined, expired, 'Bearer x.y.z', 'Bearer ', 'Basic dG9rZW4tQUJDREVGOng=', `bearer${ada.token}`]
  for (const operation of Object.values<Operation>(operations).filter((one) => one.auth === 'user' || one.auth === 'operator')) {
    const { path, body } = aim(operation, { ...ids, ...operatorIds })
    for (const authorization of wrong) {
      const answer = await send(world.url, operation, path, body, authorization)
      assert.equal(answer.status, 401, `${operation.id} with ${authorization ?? 'no token'}: ${answer.text}`)
      assert.doesNotMatch(answer.text, /MARKERA|PRIVATEADA/)
    }
    const withQuery = await send(world.url, operation, `${path}?access_token=${ada.token}&token=${ada.token}`, body)
    // There a query is a signed URL, valid or not.
    assert.equal(withQuery.status, operation.signedAddress ? 403 : 401, `${operation.id} takes a token from the query`)
  }
})

const operatorIds = {
  carrierCode: 'PEER',
  feature: 'SVCIO',
  messageId: 'm',
  nodeId: 'n',
  jobId: 'j',
  orderId: 'o',
  rateId: '1',
  tariffId: 't',
  trunkId: 't',
}

test('rejects users at operator operations and operators at user operations', async (t) => {
  const world = await startWorld(t)
  const { ada, ids } = await fillAccount(world)
  const operatorId = 'another'
  const token = await world.write(async (tables) => {
    await tables.operators.insert({ id: operatorId, email: 'o@example.com', name: 'O', passwordHash: 'x', createdAt: 1 })
    return issueToken(tables, world.clock, { kind: 'operator', holder: { operatorId }, subject: operatorId, scopes: ['all'] })
  })
  for (const operation of Object.values<Operation>(operations)) {
    if (operation.auth !== 'user' && operation.auth !== 'operator') continue
    const { path, body } = aim(operation, { ...ids, ...operatorIds })
    const authorization = operation.auth === 'operator' ? bearer(ada) : `Bearer ${token}`
    assert.equal((await send(world.url, operation, path, body, authorization)).status, 401, operation.id)
  }
})

test('hides resources of another account', async (t) => {
  const world = await startWorld(t)
  const { ids, ada } = await fillAccount(world)
  const mallory = await world.newAccount()
  await provide(world, mallory, 'Elsewhere')
  const before = await everythingOf(world, ada, ids)
  for (const operation of userOperations()) {
    const { path, body } = aim(operation, ids)
    const answer = await send(world.url, operation, path, body, bearer(mallory))
    assertNoFault(operation, answer, 'ids of another account')
    assert.doesNotMatch(answer.text, new RegExp(`${ada.accountId}|MARKERA|PRIVATEADA`), `${operation.id} leaks: ${answer.text}`)
    if (names(operation)) assert.equal(answer.status, 404, `${operation.id} answered ${answer.status} to a foreign id: ${answer.text}`)
  }
  assert.deepEqual(await everythingOf(world, ada, ids), before, 'something of the other account was changed')
})

/** Everything that ada can read, as texts. */
const everythingOf = async (world: World, ada: Person, ids: Record<string, string>): Promise<string[]> => {
  const readable = userOperations().filter(
    ({ method, id }) => method === 'GET' && !['listAudit', 'listAccountAudit', 'listAuditStreams'].includes(id),
  )
  const answers: string[] = []
  for (const operation of readable) {
    const { path } = aim(operation, ids)
    const { status, text } = await send(world.url, operation, path, undefined, bearer(ada))
    answers.push(`${operation.id} ${status} ${text}`)
  }
  return answers
}

test('hides and protects another user’s resources from a sibling', async (t) => {
  const world = await startWorld(t)
  const { ada, ids } = await fillAccount(world)
  const bob = await world.newUser(ada.accountId)
  const before = await everythingOf(world, ada, ids)
  for (const operation of userOperations()) {
    const { path, body } = aim(operation, ids)
    const answer = await send(world.url, operation, path, body, bearer(bob))
    assertNoFault(operation, answer, 'a sibling’s ids')
    assert.doesNotMatch(answer.text, /PRIVATEADA|privateada/, `${operation.id} shows a sibling’s things: ${answer.text}`)
    const who = operation.permission && permissions[operation.permission].who
    if (who === 'admin') assert.equal(answer.status, 403, `${operation.id} let a plain user in: ${answer.status} ${answer.text}`)
    if (who === 'self' && names(operation)) {
      assert.ok([403, 404].includes(answer.status), `${operation.id} answered ${answer.status} to a sibling: ${answer.text}`)
    }
  }
  // A sibling may change resources shared by the account: own contacts, dismissed events, the welcome screen, the override for the day, bookings.
  const shared =
    /^(listContacts|listAppEvents|getWelcome|listSchedules|getSchedule|getScheduleState|listBookings|getBooking|findFreeSlots) /
  const unchanged = (list: string[]) => list.filter((one) => !shared.test(one))
  assert.deepEqual(unchanged(await everythingOf(world, ada, ids)), unchanged(before), 'a sibling changed something')
})

const takesList = ({ body }: Operation): boolean => body !== undefined && Value.Check(body, [])

test('rejects unknown fields by name, and malformed bodies with a clear error', async (t) => {
  const world = await startWorld(t)
  const { ada, ids } = await fillAccount(world)
  const post = (operation: Operation, path: string, text: string, type = 'application/json') =>
    fetch(world.url + path, { method: operation.method, body: text, headers: { authorization: bearer(ada), 'content-type': type } })
  for (const operation of userOperations().filter((one) => one.body)) {
    const { path, body } = aim(operation, ids)
    const unknown = await send(world.url, operation, path, { ...(body as object), surprise: 1 }, bearer(ada))
    const { code, details } = JSON.parse(unknown.text) as ErrorBody
    const named = details?.some(({ field }) => field === 'surprise')
    assert.deepEqual([unknown.status, code, named], [400, 'parameter_invalid', true], operation.id)
    for (const [text, code] of [
      ['{"a":', 'invalid_json'],
      ['[]', 'parameter_invalid'],
      ['"text"', 'parameter_invalid'],
      ['{"__proto__":{"admin":true}}', 'parameter_invalid'],
    ] as const) {
      if (text === '[]' && takesList(operation)) continue
      const reply = await post(operation, path, text)
      const answer = (await reply.json()) as { code: string }
      assert.deepEqual([reply.status, answer.code], [400, code], `${operation.id} ${text}`)
    }
    const large = await post(operation, path, JSON.stringify({ a: 'x'.repeat((operation.bodyLimit ?? 64 * 1024) + 1) }))
    assert.equal(large.status, 413, operation.id)
    assert.equal((await post(operation, path, '<a/>', 'application/xml')).status, 415, operation.id)
  }
})
