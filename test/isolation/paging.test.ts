import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, type Operation } from '@offhook/contract'
import { elementsOf, isPagedByHandler } from '@offhook/contract/operation.ts'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import { startWorld, type Person, type World } from '#test/world/world.ts'
import { fillAccount } from './fixtures.ts'
import { aim, bearer } from './requests.ts'

interface Listed {
  status: number
  elements: unknown[]
  body: Record<string, unknown>
  link: string
  ignored: string | null
}

const required: Record<string, string> = {
  listHolidays: 'country=DE&year=2026',
  listRestrictions: 'restriction=CAN_GET_HISTORY&restriction=CAN_CONTROL_CALLS',
  search: 'q=MARKERA',
  readUsage: 'by=type',
}

/** Changes with every request: links, times, and the audit entry of the request itself. */
const stable = (element: unknown): unknown =>
  JSON.parse(
    JSON.stringify(element, (name, value: unknown) => (/url$|^(lastSeen|lastUsed\w*|at|quality)$/i.test(name) ? undefined : value)),
  )

const reader =
  (world: World, authorization: string) =>
  async (operation: Operation, address: string): Promise<Listed> => {
    const reply = await fetch(world.url + address, { headers: { authorization } })
    const text = await reply.text()
    assert.ok(reply.ok, `${operation.id} ${address}: ${text}`)
    const body = JSON.parse(text) as Record<string, unknown>
    const elements = (body[elementsOf(operation) ?? ''] as unknown[]).map(stable)
    return {
      status: reply.status,
      elements,
      body,
      link: reply.headers.get('link') ?? '',
      ignored: reply.headers.get('offhook-ignored-parameters'),
    }
  }

const linkTo = (rel: string, { link }: Listed): string | undefined => new RegExp(`<([^>]+)>; rel="${rel}"`).exec(link)?.[1]

/** Has two or more of most things. */
const fillTwice = async (world: World, ada: Person): Promise<void> => {
  await world.newUser(ada.accountId)
  for (const name of ['One', 'Two', 'Three']) {
    await ada.api.createContact({}, { name: `${name} MARKERA` })
    await ada.api.createFlow({}, { name })
    await ada.api.createSvcioSecret()
    await ada.api.createPersonalToken({}, { name, scopes: ['contacts:read'] })
  }
}

const operatorToken = (world: World): Promise<string> =>
  world.write(async (tables) => {
    const operatorId = 'reader'
    await tables.operators.insert({ id: operatorId, email: 'o@example.com', name: 'O', passwordHash: 'x', createdAt: 1 })
    return issueToken(tables, world.clock, { kind: 'operator', holder: { operatorId }, subject: operatorId, scopes: ['all'] })
  })

const operatorIds = { tariffId: 'team', carrierCode: 'PEER' }

test('pages every list by limit, offset and Link', async (t) => {
  const world = await startWorld(t)
  const { ada, ids } = await fillAccount(world)
  await fillTwice(world, ada)
  const operator = `Bearer ${await operatorToken(world)}`
  const client = await world.operator()
  for (const id of ['team', 'other']) await client.createTariff({}, { id, name: id, currency: 'EUR' })
  const lists = Object.values<Operation>(operations).filter((one) => elementsOf(one) && (one.auth === 'user' || one.auth === 'operator'))
  assert.ok(lists.length > 80)
  let long = 0
  for (const operation of lists) {
    const read = reader(world, operation.auth === 'operator' ? operator : bearer(ada))
    const { path } = aim(operation, { ...ids, ...operatorIds })
    const needsAccount = (operation.query as { required?: string[] } | undefined)?.required?.includes('accountId')
    const base = `${path}?${required[operation.id] ?? (needsAccount ? `accountId=${ada.accountId}` : '')}`
    const name = operation.id
    if (['searchCalls', 'listAudit', 'listAccountAudit'].includes(name)) await read(operation, base) // the first look is audited
    const whole = await read(operation, base)
    const page = (query: string) => read(operation, `${base}&${query}`)
    const [first, second] = [await page('limit=1'), await page('limit=1&offset=1')]
    assert.deepEqual(first.elements, whole.elements.slice(0, 1), name)
    assert.deepEqual(second.elements, whole.elements.slice(1, 2), name)
    assert.deepEqual((await page('offset=100000&limit=10')).elements, [], name)
    if (!isPagedByHandler(operation)) {
      assert.equal(first.body['totalCount'], whole.elements.length, name)
      assert.equal('totalCount' in whole.body, false, `${name} looks as it did`)
    }
    const seen: unknown[] = []
    for (let next: string | undefined = whole.elements.length > 0 ? `${base}&limit=1` : undefined; next !== undefined;) {
      const one: Listed = await read(operation, next)
      seen.push(...one.elements)
      assert.ok(seen.length <= whole.elements.length, `${name} ${next}: the next page is not the next`)
      next = linkTo('next', one)
    }
    assert.deepEqual(seen, whole.elements, name)
    if (whole.elements.length > 1) long++
    const unknown = await page('colour=red')
    assert.deepEqual([unknown.status, unknown.ignored], [200, 'colour'], name)
    const wrong = await fetch(`${world.url}${base}&limit=none`, {
      headers: { authorization: operation.auth === 'operator' ? operator : bearer(ada) },
    })
    assert.equal(wrong.status, 400, name)
  }
  assert.ok(long > 25, `only ${long} lists have several elements`)
})

test('names the neighbours of a page relative to the request', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  for (const name of ['a', 'b', 'c', 'd', 'e']) await ada.api.createContact({}, { name })
  for (const name of ['p', 'q', 'r']) await ada.api.createFlow({}, { name })
  const read = reader(world, bearer(ada))
  const flows = await read(operations.listFlows, '/v3/ai-flows?limit=1&offset=1')
  assert.equal(
    flows.link,
    '</v3/ai-flows?limit=1&offset=2>; rel="next", </v3/ai-flows?limit=1&offset=0>; rel="prev", </v3/ai-flows?limit=1&offset=0>; rel="first", </v3/ai-flows?limit=1&offset=2>; rel="last"',
  )
  const contacts = await read(operations.listContacts, '/v1/contacts?offset=3')
  assert.deepEqual([contacts.elements.length, contacts.body['totalCount']], [2, 5])
  const found = await read(operations.listContacts, '/v1/contacts?limit=2&search=a')
  assert.deepEqual([found.elements.length, found.body['totalCount'], found.link.includes('rel="next"')], [1, 1, false])
  assert.match((await read(operations.listContacts, '/v1/contacts?limit=2')).link, /^<\/v1\/contacts\?limit=2&cursor=[^>]+>; rel="next"/)
  const { items } = await ada.api.listContacts({ limit: 2, offset: 2 })
  assert.deepEqual(
    items.map(({ name }) => name),
    ['c', 'd'],
  )
})
