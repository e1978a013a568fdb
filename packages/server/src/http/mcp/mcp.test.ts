import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { toolNames, usualTools } from '@offhook/contract/tools.ts'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { connected, customer, landline } from '#test/world/test-orders.ts'
import { startWorld, type Person, type World } from '#test/world/world.ts'

type Scopes = NonNullable<Parameters<Person['api']['createPersonalToken']>[1]['scopes']>

const tokenOf = async (person: Person, scopes: Scopes = ['all']) => {
  const { tokenId, token } = await person.api.createPersonalToken({}, { name: 'agent', scopes })
  return { tokenId, authorization: `Basic ${btoa(`${tokenId}:${token}`)}` }
}

interface Asked {
  /** The user's answer to an elicitation; undefined: the program cannot ask. */
  agrees?: boolean
  seen?: string[]
}

const open = async (world: World, authorization: string, { agrees, seen }: Asked = {}): Promise<Client> => {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: agrees === undefined ? {} : { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  )
  if (agrees !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      seen?.push(params.message)
      return { action: 'accept', content: { agreed: agrees } }
    })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', world.url), { requestInit: { headers: { authorization } } }))
  return client
}

const namesOf = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name)

const call = async (client: Client, name: string, input: Record<string, unknown> = {}) => {
  const { content, isError } = await client.callTool({ name, arguments: input })
  return { isError: isError === true, text: (content as { text: string }[]).map(({ text }) => text).join('\n') }
}

test("lists and runs the tools that the official client's token allows", async (t) => {
  const { world, orders } = await connected(t, 'sqlite')
  const ada = await customer(world)
  const { authorization, tokenId } = await tokenOf(ada)
  const client = await open(world, authorization)
  t.after(() => client.close())
  assert.deepEqual(await namesOf(client), [...toolNames], 'a token without a leash')
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name),
    ['list_calls', 'read_transcript', 'explain_call', 'list_flows', 'get_flow'],
  )
  assert.match((await call(client, 'list_calls')).text, /not instructions[^]*"items"/)
  assert.deepEqual(await call(client, 'place_call', { to: landline, device: ada.device }).then(({ isError }) => isError), false)
  assert.equal(orders.calls.length, 1)
  assert.match((await call(client, 'place_call', { to: landline })).text, /device/)
  assert.match(
    (await call(client, 'place_call', { to: landline, device: ada.device, from: 'e1' })).text,
    /no from\. It takes to, device, flow_id/,
  )
  assert.match((await call(client, 'place_call', { to: landline, device: ada.device, variables: { a: 1 } })).text, /name it with flow_id/)
  const last = (name: string) => call(client, name, { call_id: 'last' })
  assert.deepEqual(await last('explain_call'), { isError: true, text: 'There is no call yet. Make one, then ask again.' })
  assert.deepEqual(await call(client, 'get_flow', { flow_id: 'none' }), {
    isError: true,
    text: 'flow_not_found: There is no flow with this id.',
  })

  await ada.api.setLeash({ leashId: tokenId }, { callsPerDay: 1, allowedNumbers: [landline] })
  assert.deepEqual(await namesOf(client), usualTools)
  await world.clock.advance(2000)
  assert.match((await call(client, 'place_call', { to: '+4930123456', device: ada.device })).text, /^leash_number_not_allowed/)
  const reader = await open(world, (await tokenOf(ada, ['history:read'])).authorization)
  t.after(() => reader.close())
  assert.deepEqual(await namesOf(reader), ['list_calls', 'read_transcript', 'explain_call'])
})

test('explains and reads the latest call', async (t) => {
  const customer = await startAssistantEndpoint(t)
  const world = await startWorld(t, { settings: { OFFHOOK_EGRESS_ALLOW: customer.address } })
  const ada = await world.newAccount()
  const flow = await ada.api.createFlow({}, { name: 'Reception', webhookUrl: customer.url })
  const { talkId, url } = await ada.api.startTalk({ aiFlowId: flow.id }, { audio: false })
  const caller = await TalkClient.open(t, url)
  await customer.received('session_start')
  caller.send({ type: 'hangup' })
  await caller.closed
  await customer.received('session_end')
  await world.clock.advance(10_000)
  const client = await open(world, (await tokenOf(ada)).authorization)
  t.after(() => client.close())
  assert.match((await call(client, 'explain_call', { call_id: 'last' })).text, new RegExp(talkId))
  assert.match((await call(client, 'read_transcript', { call_id: 'last' })).text, /caller_hangup/)
})

test('asks the user when the leash requires it, and treats no answer as a rejection', async (t) => {
  const { world, orders } = await connected(t, 'sqlite')
  const ada = await customer(world)
  const { authorization, tokenId } = await tokenOf(ada)
  await ada.api.setLeash({ leashId: tokenId }, { confirm: 'client' })
  const seen: string[] = []
  const input = { to: landline, device: ada.device }
  const refusing = await open(world, authorization, { agrees: false, seen })
  const mute = await open(world, authorization)
  const agreeing = await open(world, authorization, { agrees: true, seen })
  t.after(() => Promise.all([refusing, mute, agreeing].map((client) => client.close())))
  assert.match((await call(refusing, 'place_call', input)).text, /did not agree/)
  await assert.rejects(call(mute, 'place_call', input), 'a program that cannot ask')
  assert.equal(orders.calls.length, 0)
  assert.equal((await call(agreeing, 'place_call', input)).isError, false)
  assert.equal(orders.calls.length, 1)
  assert.deepEqual(seen, Array(2).fill(`Call ${landline} from your telephone?`))
})

test('points clients without a token to the authorization server and rejects other sites', async (t) => {
  const world = await startWorld(t)
  const ask = (headers: Record<string, string>) =>
    fetch(`${world.url}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' })
  const metadata = `${world.url}/.well-known/oauth-protected-resource/mcp`
  const [unknown, wrong] = [await ask({}), await ask({ authorization: 'Bearer x' })]
  assert.deepEqual([unknown.status, unknown.headers.get('www-authenticate')], [401, `Bearer resource_metadata="${metadata}"`])
  assert.deepEqual(
    [wrong.status, wrong.headers.get('www-authenticate')],
    [401, `Bearer error="invalid_token", resource_metadata="${metadata}"`],
  )
  for (const address of [metadata, metadata.replace(/\/mcp$/, '')]) {
    const { resource, authorization_servers } = (await (await fetch(address)).json()) as {
      resource: string
      authorization_servers: string[]
    }
    assert.deepEqual([resource, authorization_servers], [`${world.url}/mcp`, [world.url]])
  }
})
