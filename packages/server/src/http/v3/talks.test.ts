import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { databases, startWorld, type Database, type Person } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const openWorld = async (t: TestContext, { database = 'sqlite', ...more }: { database?: Database; OFFHOOK_PUBLIC_URL?: string } = {}) => {
  const customer = await startAssistantEndpoint(t)
  const world = await startWorld(t, { database, settings: { OFFHOOK_EGRESS_ALLOW: customer.address, ...more } })
  const person = await world.newAccount()
  const flow = await person.api.createFlow(
    {},
    {
      name: 'Reception',
      webhookUrl: customer.url,
      extended_events: ['dtmf_received'],
      timeouts: { silence_seconds: 3600 },
    },
  )
  return { world, customer, person, flow }
}

const invite = async ({ api }: Person, aiFlowId: string): Promise<string> => (await api.startTalk({ aiFlowId }, { audio: false })).url

/** An answered talk. */
const talk = async (t: TestContext, person: Person, aiFlowId: string): Promise<TalkClient> => {
  const client = await TalkClient.open(t, await invite(person, aiFlowId))
  await client.onEvent('answered')
  return client
}

for (const database of databases)
  test(`handles a text talk like any call (${database})`, async (t) => {
    const { world, customer, person, flow } = await openWorld(t, { database })
    const { talkId, url, expiresAt } = await person.api.startTalk({ aiFlowId: flow.id }, { audio: false })
    assert.equal(Date.parse(expiresAt) - world.clock.now() <= 30_000, true)
    const client = await TalkClient.open(t, url)
    assert.deepEqual(await client.onEvent('ready'), { type: 'ready', callId: talkId, sampleRate: 16_000 })
    await client.onEvent('answered')
    const [start] = await customer.received('session_start')
    assert.deepEqual(start?.session, {
      id: talkId,
      account_id: person.accountId,
      direction: 'inbound',
      phone_number: 'anonymous',
      from_phone_number: 'anonymous',
      to_phone_number: 'anonymous',
    })
    const running = (await person.api.listCalls()).data
    assert.deepEqual(
      running.map(({ callId }) => callId),
      [talkId],
    )

    client.send({ type: 'text', text: '  I would like a table  ' })
    const [said] = await customer.received('user_speak')
    assert.deepEqual([said?.text, said?.barged_in], ['I would like a table', false])
    client.send({ type: 'dtmf', digits: '1#' })
    const keys = await customer.received('dtmf_received', 2)
    assert.deepEqual(
      keys.map(({ digit }) => digit),
      ['1', '#'],
    )

    await person.api.holdCall({ callId: talkId }, { value: true })
    assert.deepEqual(await client.onEvent('held'), { type: 'held', value: true })
    client.send({ type: 'text', text: 'are you there?' })
    assert.match((await client.onEvent('problem')).message, /Nobody reads/)
    await person.api.holdCall({ callId: talkId }, { value: false })

    client.send({ type: 'hangup' })
    assert.deepEqual(await client.onEvent('ended'), { type: 'ended', by: 'caller', reason: 'caller_hangup' })
    assert.equal(await client.closed, 1000)
    assert.equal((await customer.received('session_end'))[0]?.reason, 'caller_hangup')
    const [entry] = (await person.api.listOwnHistory()).items
    assert.deepEqual(
      [entry?.type, entry?.direction, entry?.status, entry?.source, entry?.sourceAlias, entry?.target, entry?.targetAlias],
      ['CALL', 'INCOMING', 'PICKUP', 'anonymous', 'Ada L1', flow.id, 'Reception'],
    )
    await assert.rejects(TalkClient.open(t, url), /403/, 'its address is worth nothing any more')
  })

test('passes simulated numbers only to the assistant', async (t) => {
  const { customer, person, flow } = await openWorld(t)
  const wrong = [{ from: '' }, { from: 'anonymous' }, { to: '1'.repeat(21) }, { from: '49-157' }]
  for (const numbers of wrong) await assert.rejects(person.api.startTalk({ aiFlowId: flow.id }, numbers), { status: 400 })
  const { talkId, url } = await person.api.startTalk({ aiFlowId: flow.id }, { audio: false, from: '+491570000001', to: '493012345' })
  const client = await TalkClient.open(t, url)
  await client.onEvent('answered')
  const [start] = await customer.received('session_start')
  const { from_phone_number: from, to_phone_number: to, phone_number: own } = start?.session ?? {}
  assert.deepEqual([from, to, own], ['491570000001', '493012345', '493012345'])
  client.send({ type: 'hangup' })
  await client.closed
  const { items } = await person.api.getTimeline({ callId: talkId })
  assert.ok(items[0]?.kind === 'call' && items[0].from === 'anonymous')
  const [entry] = (await person.api.listOwnHistory()).items
  assert.deepEqual([entry?.source, entry?.sourceAlias], ['anonymous', 'Ada L1'])

  const other = await person.api.startTalk({ aiFlowId: flow.id }, { audio: false, from: '1' })
  await assert.rejects(TalkClient.open(t, other.url.replace('from1', 'from2')), /403/)
})

test('accepts a ticket for one call of one user to one flow within half a minute', async (t) => {
  const { world, person, flow } = await openWorld(t)
  const outsideNumber = await world.newAccount()
  await assert.rejects(outsideNumber.api.startTalk({ aiFlowId: flow.id }, {}), { status: 404 })
  await assert.rejects(person.api.startTalk({ aiFlowId: flow.id }, { audio: 'yes' } as never), { status: 400 })

  const url = await invite(person, flow.id)
  const other = await person.api.createFlow({}, { name: 'Other' })
  const changed = [
    url.replace(flow.id, other.id),
    url.replace('/text?', '/sound?'),
    url.replace(/signature=(.)/, (_, first) => `signature=${first === '_' ? '-' : '_'}`),
    `${url}&x=1`,
  ]
  for (const address of changed) await assert.rejects(TalkClient.open(t, address), /403/)
  for (const origin of ['http://evil.example', 'null']) await assert.rejects(TalkClient.open(t, url, { headers: { origin } }), /403/)
  const tries = await Promise.allSettled([1, 2, 3].map(() => TalkClient.open(t, url, { headers: { origin: world.url } })))
  assert.deepEqual(tries.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected', 'rejected'], 'one of those who try')

  const late = await invite(person, flow.id)
  await world.clock.advance(30_000)
  await assert.rejects(TalkClient.open(t, late), /403/)
})

test('uses the public address behind a proxy, also for our pages', async (t) => {
  const { world, person, flow } = await openWorld(t, { OFFHOOK_PUBLIC_URL: 'https://phones.example/offhook' })
  const url = await invite(person, flow.id)
  assert.match(url, /^wss:\/\/phones\.example\/offhook\/v3\//)
  const passedOn = url.replace('wss://phones.example/offhook', world.url.replace('http', 'ws'))
  await assert.rejects(TalkClient.open(t, passedOn, { headers: { origin: 'https://phones.example.evil' } }), /403/)
  const client = await TalkClient.open(t, passedOn, { headers: { origin: 'https://phones.example' } })
  await client.onEvent('answered')
})

test('frees its place and leaves no state, however a talk ends', async (t) => {
  const { world, person, flow } = await openWorld(t)
  const before = world.clock.pending()
  const url = await invite(person, flow.id)
  await Promise.allSettled(Array.from({ length: 8 }, async () => (await TalkClient.open(t, url)).socket.terminate()))
  const rude = async (end: (client: TalkClient) => unknown): Promise<void> => {
    const client = await TalkClient.open(t, (await person.api.startTalk({ aiFlowId: flow.id }, {})).url)
    await end(client)
    await client.closed
  }
  const answered = async (client: TalkClient): Promise<string> => {
    await client.onEvent('answered')
    return (await client.onEvent('ready')).callId
  }
  await rude(({ socket }) => socket.terminate())
  await rude((client) => client.send({ type: 'hangup' }))
  await rude((client) => {
    for (let i = 0; i < 3; i++) client.send({ type: 'hangup' })
    client.socket.close()
  })
  await rude(async (client) => {
    await person.api.holdCall({ callId: await answered(client) }, { value: true })
    client.socket.terminate()
  })
  await rude(async (client) => {
    await person.api.recordCall({ callId: await answered(client) }, { value: true })
    client.socket.close(4000, 'mine')
  })
  await rude(async (client) => {
    await person.api.hangUpCall({ callId: await answered(client) })
  })
  for (let tries = 0; (await person.api.listCalls()).data.length > 0; tries++) assert.ok(tries < 1000, 'calls are left')
  await world.clock.advance(70_000) // retention of timelines in memory, and the worker's next poll for leased jobs
  assert.equal(world.clock.pending(), before)
  for (let i = 0; i < 5; i++) await talk(t, person, flow.id)
})

test('limits a user to five concurrent talks, and admits another when one ends', async (t) => {
  const { person, world, flow } = await openWorld(t)
  const clients = []
  for (let i = 0; i < 5; i++) clients.push(await talk(t, person, flow.id))
  await assert.rejects(invite(person, flow.id), withCode('talk_limit_reached'))
  const colleague = await world.newUser(person.accountId)
  const own = await talk(t, colleague, flow.id)
  assert.equal((await colleague.api.listCalls()).data.length, 1, 'others’ are seen by administrators only')
  own.socket.close()
  clients[0]?.socket.terminate()
  for (let tries = 0; (await person.api.listCalls()).data.length > 4; tries++) assert.ok(tries < 1000, 'closing hangs up')
  const again = await talk(t, person, flow.id)
  again.send({ type: 'hangup' })
  await again.onEvent('ended')
})

test('explains invalid messages and ends the talk on too many', async (t) => {
  const { person, flow } = await openWorld(t)
  const client = await talk(t, person, flow.id)
  const wrong = ['{', '[]', 'null', '{"type":"sing"}', '{"type":"text"}', '{"type":"dtmf","digits":"A"}', '{"type":"hangup","now":true}']
  for (const text of wrong) client.socket.send(text)
  client.socket.send(new Uint8Array(640))
  while (client.news.filter(({ type }) => type === 'problem').length < wrong.length + 1) await new Promise(setImmediate)
  const problems = client.news.flatMap((one) => (one.type === 'problem' ? one.message : []))
  for (const [index, named] of ['JSON', 'type', 'type', 'type', 'text', 'digits', 'now', 'sound'].entries())
    assert.ok(problems[index]?.includes(named), problems[index])
  for (let i = 0; i < 60; i++) client.send({ type: 'dtmf', digits: '1' })
  assert.equal(await client.closed, 1008)
  const quick = await talk(t, person, flow.id)
  for (let i = 0; i < 2; i++) quick.send({ type: 'dtmf', digits: '1'.repeat(32) })
  assert.equal(await quick.closed, 1008, 'each key counts')
  const large = await talk(t, person, flow.id)
  large.send({ type: 'text', text: 'x'.repeat(20_000) })
  assert.equal(await large.closed, 1009)
  const noisy = await TalkClient.open(t, (await person.api.startTalk({ aiFlowId: flow.id }, {})).url)
  await noisy.onEvent('answered')
  noisy.socket.send(new Uint8Array(320))
  assert.match((await noisy.onEvent('problem')).message, /640 bytes/)
  for (let i = 0; i < 700; i++) noisy.sendSound(new Int16Array(320))
  assert.equal(await noisy.closed, 1008)
})

test('ends a talk at its time limit', async (t) => {
  const { world, person, flow } = await openWorld(t)
  const client = await talk(t, person, flow.id)
  await world.clock.advance(30 * 60_000 - 1)
  assert.deepEqual(client.news.at(-1), { type: 'answered' })
  await world.clock.advance(1)
  assert.deepEqual(await client.onEvent('ended'), { type: 'ended', by: 'service', reason: 'max_duration' })
})

test('rejects new talks while drained, and notifies running ones at shutdown', async (t) => {
  const { world, person, flow } = await openWorld(t)
  const client = await talk(t, person, flow.id)
  const address = await invite(person, flow.id)
  const drained = world.running.drain(60_000)
  await assert.rejects(invite(person, flow.id), { status: 503 })
  const refused = await TalkClient.open(t, address)
  assert.deepEqual(await refused.onEvent('ended'), { type: 'ended', by: 'service', reason: 'service_shutdown' })
  assert.equal(client.news.at(-1)?.type, 'answered')
  const closed = world.running.close()
  assert.deepEqual(await client.onEvent('ended'), { type: 'ended', by: 'service', reason: 'service_shutdown' })
  assert.equal(await client.closed, 1000)
  await world.clock.advance(60_000)
  await Promise.all([drained, closed])
})
