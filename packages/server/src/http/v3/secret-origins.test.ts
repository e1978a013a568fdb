import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { openSecrets } from '#core/account/assistants/secrets.ts'
import { startCustomer, type Customer } from '#test/http/customer-endpoint.ts'
import { databases, startWorld, type Database } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const plain: AssistantSettings = { greeting: 'Hello.', prompt: 'You are the reception.' }

/** An assistant whose secrets are all for one host; `secrets: false`: as a client sends it after reading. */
const assistantAt = (host: string, { secrets }: { secrets: boolean }): AssistantSettings => {
  const key = secrets ? { api_key: 'the-key' } : {}
  const headers = (name: string) => [{ name, ...(secrets && { value: 'the-header' }) }]
  const url = `http://${host}/v1`
  return {
    ...plain,
    model: { url, name: 'm', ...key, headers: headers('x-team'), second: { url, name: 's', ...key } },
    tools: { http: [{ name: 'ask', description: 'Asks', url, headers: headers('x-tool') }] },
    knowledge: { use: 'tool', embeddings: { url, name: 'e', ...key } },
  }
}

/** Two customer servers that the service may reach, and an assistant. */
const withTwoHosts = async (t: TestContext, database: Database) => {
  const [mine, other] = [await startCustomer(t), await startCustomer(t)]
  const world = await startWorld(t, { database, settings: { OFFHOOK_EGRESS_ALLOW: `${mine.address},${other.address}` } })
  const ada = await world.newAccount()
  const { id: aiFlowId } = await ada.api.createFlow({}, { name: 'Reception' })
  const write = (settings: AssistantSettings, api = ada.api) => api.changeAssistant({ aiFlowId }, { settings })
  return { world, ada, api: ada.api, mine, other, aiFlowId, write }
}

const secretsSeenBy = ({ received }: Customer): string[] =>
  received.flatMap(({ headers }) => Object.values(headers).filter((value) => /the-(?:key|header)/.test(String(value))) as string[])

for (const database of databases) {
  test(`${database}: requires the secrets of an assistant again when an address changes its origin`, async (t) => {
    const { world, ada, api, mine, other, aiFlowId, write } = await withTwoHosts(t, database)
    await write(assistantAt(mine.address, { secrets: true }))
    await write(assistantAt(mine.address, { secrets: false }))
    const [kept, moved] = [assistantAt(mine.address, { secrets: false }), assistantAt(other.address, { secrets: false })]
    const { model, tools, knowledge } = moved
    const { second: _second, ...first } = model ?? assert.fail()
    const fields: [string, AssistantSettings][] = [
      ['model/api_key', { ...kept, model: { ...first, headers: [{ name: 'x-team', value: 'new' }] } }],
      ['model/headers/0/value', { ...kept, model: { ...first, api_key: 'new' } }],
      ['model/second/api_key', { ...kept, model: { ...kept.model!, second: model!.second! } }],
      ['tools/http/0/headers/0/value', { ...kept, tools: tools! }],
      ['knowledge/embeddings/api_key', { ...kept, knowledge: knowledge! }],
    ]
    for (const [field, settings] of fields) await assert.rejects(write(settings), withCode('parameter_invalid', field), field)
    const encrypted = { ...first, url: first.url.replace('http:', 'https:') }
    await assert.rejects(write({ ...kept, model: encrypted }), { status: 400 }, 'another scheme is another origin')
    await write({ ...plain, model: { ...first, api_key: null, headers: [] }, tools: { http: [{ ...tools!.http![0]!, headers: [] }] } })
    await api.testModel({ aiFlowId }, {})
    await api.testTool({ aiFlowId, tool: 'ask' }, {})
    assert.ok(other.received.length >= 2, 'the other host is asked')
    assert.deepEqual(secretsSeenBy(other), [])
    await write(assistantAt(other.address, { secrets: true }))
    const { store, vault } = world.running.deps
    const draft = await store.read.assistants.draft(ada.accountId, aiFlowId)
    assert.equal(openSecrets(vault, draft?.settings ?? plain).knowledge?.embeddings?.api_key, 'the-key')
  })

  test(`${database}: keeps each version of an assistant with the secrets of its own addresses`, async (t) => {
    const { world, ada, api, mine, other, aiFlowId, write } = await withTwoHosts(t, database)
    await write(assistantAt(mine.address, { secrets: true }))
    await api.publishAssistant({ aiFlowId }, {})
    const settings = assistantAt(other.address, { secrets: true })
    await write({ ...settings, model: { ...settings.model!, api_key: 'second-key' } })
    await api.publishAssistant({ aiFlowId }, {})
    assert.deepEqual(await api.rollBackAssistant({ aiFlowId }), { stable: 1 })
    const { store, vault } = world.running.deps
    const models = await Promise.all([1, 2].map((version) => store.read.assistants.version(ada.accountId, aiFlowId, version)))
    assert.deepEqual(
      models.map((one) => openSecrets(vault, one?.settings ?? plain).model).map((model) => [model?.url, model?.api_key]),
      [
        [`http://${mine.address}/v1`, 'the-key'],
        [`http://${other.address}/v1`, 'second-key'],
      ],
    )
    const { settings: shown } = await api.getAssistantVersion({ aiFlowId, version: '1' })
    const { api_key_set: _set, second: _second, ...model } = shown.model ?? assert.fail()
    await assert.rejects(write({ ...plain, model }), withCode('parameter_invalid', 'model/api_key'))
  })

  test(`${database}: rejects a token with a leash that redirects stored secrets to another origin`, async (t) => {
    const { world, ada, mine, other, write } = await withTwoHosts(t, database)
    await write(assistantAt(mine.address, { secrets: true }))
    const { tokenId, token } = await ada.api.createPersonalToken({}, { name: 'agent' })
    await ada.api.setLeash({ leashId: tokenId }, { tools: ['edit_draft', 'publish'] })
    const leashed = world.client(`${tokenId}:${token}`)
    const refused = withCode('leash_not_allowed')
    const moved = assistantAt(other.address, { secrets: true })
    await assert.rejects(write(moved, leashed), refused, 'also with secrets of its own')
    await assert.rejects(write({ ...assistantAt(mine.address, { secrets: false }), tools: moved.tools! }, leashed), refused)
    await write({ ...assistantAt(mine.address, { secrets: false }), greeting: 'Good morning.' }, leashed)
    await write(plain, leashed)
    await write({ ...plain, model: { url: `http://${other.address}/v1`, name: 'm' } }, leashed)
  })

  test(`${database}: requires the key of a flow again when an address changes its origin`, async (t) => {
    const { api, mine, other } = await withTwoHosts(t, database)
    const flow = { name: 'Webhook', webhookUrl: `http://${mine.address}/a` }
    const { id: aiFlowId } = await api.createFlow({}, { ...flow, apiKey: 'the-key' })
    const change = (input: Partial<Parameters<typeof api.changeFlow>[1]>) => api.changeFlow({ aiFlowId }, { ...flow, ...input })
    await change({ webhookUrl: `http://${mine.address}/b`, websocketUrl: `ws://${mine.address}/c` })
    const again = withCode('parameter_invalid', 'apiKey')
    await assert.rejects(change({ webhookUrl: `http://${other.address}/a` }), again)
    await assert.rejects(change({ fallbackUrl: `http://${other.address}/a` }), again)
    await assert.rejects(change({ websocketUrl: `ws://${other.address}/a` }), again)
    assert.equal((await api.testFlow({ aiFlowId }, { channel: 'webhook' })).channel, 'webhook')
    assert.deepEqual(secretsSeenBy(mine), ['the-key', 'the-key'], 'as X-API-Key and X-API-TOKEN')

    await change({ webhookUrl: `http://${other.address}/a`, apiKey: 'the-key-2' })
    assert.deepEqual(await api.restoreFlowVersion({ aiFlowId, version: '1' }), { version: 4, apiKeyRemoved: true })
    assert.deepEqual([(await api.getFlow({ aiFlowId })).apiKeySet, (await api.getFlow({ aiFlowId })).webhookUrl], [false, flow.webhookUrl])
    await api.testFlow({ aiFlowId }, {})
    assert.equal(mine.received.length, 2)
    assert.equal(secretsSeenBy(mine).length, 2, 'the second key is for the other host')
    await change({ apiKey: 'the-key' })
    assert.deepEqual(await api.restoreFlowVersion({ aiFlowId, version: '2' }), { version: 5 })
    assert.equal((await api.getFlow({ aiFlowId })).apiKeySet, true)
  })
}

test('sends no secret to the redirect target of a model, a tool or an endpoint', async (t) => {
  const other = await startCustomer(t)
  const mine = await startCustomer(t, (_, response) => response.writeHead(307, { location: `http://${other.address}/stolen` }).end())
  const world = await startWorld(t, { settings: { OFFHOOK_EGRESS_ALLOW: `${mine.address},${other.address}` } })
  const { api } = await world.newAccount()
  const { id: aiFlowId } = await api.createFlow({}, { name: 'F', webhookUrl: `http://${mine.address}/`, apiKey: 'the-key' })
  await api.changeAssistant({ aiFlowId }, { settings: assistantAt(mine.address, { secrets: true }) })
  assert.equal((await api.testModel({ aiFlowId }, {})).ok, false)
  assert.equal((await api.testTool({ aiFlowId, tool: 'ask' }, {})).ok, false)
  await api.testFlow({ aiFlowId }, {})
  assert.ok(mine.received.length >= 3)
  assert.deepEqual(other.received, [])
})
