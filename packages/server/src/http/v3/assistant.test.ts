import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { openSecrets } from '#core/account/assistants/secrets.ts'
import { databases, startWorld, type Database } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const plain: AssistantSettings = { greeting: 'Hello.', prompt: 'You are the reception.' }

const everything: AssistantSettings = {
  ...plain,
  model: {
    url: 'http://127.0.0.1:11434/v1',
    name: 'small',
    api_key: 'k1',
    headers: [{ name: 'X-Team', value: 'a team' }],
    second: { url: 'https://example.com/v1', name: 'large', api_key: 'k2' },
  },
  languages: ['DE-de'],
  keys: [{ digit: '1', does: 'transfer', transfer_to: 'office' }],
  tools: {
    transfer: [{ name: 'office', target: '0211 63554444', when: 'Somebody asks for a person' }],
    http: [
      {
        name: 'find_order',
        description: 'Finds an order',
        parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
        url: 'https://example.com/orders',
        headers: [{ name: 'Authorization', value: 'Bearer t0ken' }],
      },
    ],
    take_message: { email: 'office@example.com', sms: '0171 1234567' },
  },
  knowledge: { use: 'tool', embeddings: { url: 'https://example.com/v1', name: 'e', api_key: 'k3' } },
}

const withFlow = async (t: TestContext, database: Database) => {
  const world = await startWorld(t, { database })
  const ada = await world.newAccount()
  const { id: aiFlowId } = await ada.api.createFlow({}, { name: 'Reception', transfer_targets: ['+49211*'] })
  const { store, vault } = world.running.deps
  const opened = async () => {
    const draft = (await store.read.assistants.draft(ada.accountId, aiFlowId)) ?? assert.fail()
    return openSecrets(vault, draft.settings)
  }
  const write = (settings: AssistantSettings, revision?: number) =>
    ada.api.changeAssistant({ aiFlowId }, { settings, ...(revision !== undefined && { revision }) })
  return { world, ada, api: ada.api, aiFlowId, opened, write }
}

for (const database of databases) {
  test(`${database}: stores an assistant with sealed secrets and hides them`, async (t) => {
    const { world, ada, api, aiFlowId, opened, write } = await withFlow(t, database)
    await assert.rejects(api.getAssistant({ aiFlowId }), withCode('assistant_not_set'))
    assert.deepEqual(await write(everything), { revision: 1, warnings: [] })
    const { settings, revision, published } = await api.getAssistant({ aiFlowId })
    assert.deepEqual([revision, published, settings.languages], [1, undefined, ['de-DE']])
    assert.deepEqual(
      [settings.model?.api_key_set, settings.model?.second?.api_key_set, settings.model?.headers],
      [true, true, [{ name: 'X-Team' }]],
    )
    assert.deepEqual(settings.tools?.http?.[0]?.headers, [{ name: 'Authorization' }])
    assert.deepEqual([settings.tools?.transfer?.[0]?.target, settings.tools?.take_message?.sms], ['+4921163554444', '+491711234567'])
    const kept = JSON.stringify(await world.running.deps.store.read.assistants.draft(ada.accountId, aiFlowId))
    for (const text of [JSON.stringify(settings), kept]) assert.doesNotMatch(text, /"k1"|"k2"|"k3"|t0ken|a team/)
    const { model, tools, knowledge } = await opened()
    assert.deepEqual([model?.api_key, model?.second?.api_key, knowledge?.embeddings?.api_key], ['k1', 'k2', 'k3'])
    assert.deepEqual([model?.headers?.[0]?.value, tools?.http?.[0]?.headers?.[0]?.value], ['a team', 'Bearer t0ken'])
  })

  test(`${database}: unsets omitted settings and keeps secrets until they are removed`, async (t) => {
    const { api, aiFlowId, opened, write } = await withFlow(t, database)
    await write(everything)
    const shown = (await api.getAssistant({ aiFlowId })).settings
    const { api_key_set: _one, second: _two, ...model } = shown.model ?? assert.fail()
    const { knowledge: _three, ...rest } = shown
    await write({ ...rest, model })
    const before = await opened()
    assert.deepEqual(
      [before.model?.api_key, before.model?.headers, before.knowledge],
      ['k1', [{ name: 'X-Team', value: 'a team' }], undefined],
    )
    assert.equal(before.tools?.http?.[0]?.headers?.[0]?.value, 'Bearer t0ken')
    await write({ ...plain, model: { url: 'https://other.example/v1', name: 'x', api_key: null } })
    assert.equal((await opened()).model?.api_key, undefined)
  })

  test(`${database}: keeps versions immutable, uses the stable one for calls, and rolls back`, async (t) => {
    const { api, aiFlowId, write } = await withFlow(t, database)
    await assert.rejects(api.publishAssistant({ aiFlowId }, {}), withCode('assistant_not_set'))
    assert.deepEqual(await api.getRollout({ aiFlowId }), {})
    await assert.rejects(api.rollBackAssistant({ aiFlowId }), withCode('conflict'))
    await write({ ...everything, greeting: 'One' })
    assert.equal((await api.publishAssistant({ aiFlowId }, { note: ' first ' })).note, 'first')
    assert.equal((await api.getAssistant({ aiFlowId })).published, 1)
    await write({ ...everything, greeting: 'Two' })
    assert.equal((await api.getAssistant({ aiFlowId })).published, undefined)
    await write({ ...everything, greeting: 'One' })
    assert.equal((await api.getAssistant({ aiFlowId })).published, 1, 'the same secrets are the same settings')
    await write({ ...plain, greeting: 'Two' })
    await api.publishAssistant({ aiFlowId }, { stable: false })
    assert.deepEqual(await api.getRollout({ aiFlowId }), { stable: 1, percent: 0, by: 'caller' })
    await api.publishAssistant({ aiFlowId }, {})
    assert.deepEqual(await api.getRollout({ aiFlowId }), { stable: 3, percent: 0, by: 'caller', previous: 1 })
    const listed = (await api.listAssistantVersions({ aiFlowId })).items
    assert.deepEqual(
      listed.map(({ version, calls }) => `${version}: ${calls}`),
      ['3: 0', '2: 0', '1: 0'],
    )
    assert.equal((await api.getAssistantVersion({ aiFlowId, version: '1' })).settings.greeting, 'One')
    for (const version of ['4', '0', 'x', '1.0'])
      await assert.rejects(api.getAssistantVersion({ aiFlowId, version }), withCode('assistant_version_not_found'))
    await api.changeRollout({ aiFlowId }, { stable: 3, candidate: 2, percent: 10, by: 'call' })
    assert.deepEqual(await api.getRollout({ aiFlowId }), { stable: 3, candidate: 2, percent: 10, by: 'call', previous: 1 })
    assert.deepEqual(await api.rollBackAssistant({ aiFlowId }), { stable: 1 })
    assert.deepEqual(await api.getRollout({ aiFlowId }), { stable: 1, percent: 0, by: 'caller', previous: 3 })
    await assert.rejects(api.changeRollout({ aiFlowId }, { stable: 9 }), withCode('assistant_version_not_found'))
    await assert.rejects(api.changeRollout({ aiFlowId }, { stable: 1, percent: 5 }), withCode('parameter_invalid', 'candidate'))
    await api.deleteFlow({ aiFlowId })
    await assert.rejects(api.listAssistantVersions({ aiFlowId }), withCode('flow_not_found'))
  })
}

for (const database of databases)
  test(`${database}: deletes an assistant that its flow does not use and keeps its versions`, async (t) => {
    const { api, aiFlowId, write, world } = await withFlow(t, database)
    await assert.rejects(api.deleteAssistant({ aiFlowId }), { status: 409, message: /write one first/ })
    await write(plain)
    await api.publishAssistant({ aiFlowId }, {})
    await api.changeFlow({ aiFlowId }, { name: 'Reception', endpoint: 'assistant' })
    await assert.rejects(api.deleteAssistant({ aiFlowId }), { status: 409, message: /endpoint/ })
    await api.changeFlow({ aiFlowId }, { name: 'Reception' })
    await assert.rejects((await world.newAccount()).api.deleteAssistant({ aiFlowId }), { status: 404 })
    await api.deleteAssistant({ aiFlowId })
    await assert.rejects(api.getAssistant({ aiFlowId }), { status: 409, message: /write one first/ })
    assert.deepEqual(await api.getRollout({ aiFlowId }), {})
    assert.equal((await api.getAssistantVersion({ aiFlowId, version: '1' })).settings.greeting, plain.greeting)
    await write(plain)
    assert.equal((await api.publishAssistant({ aiFlowId }, {})).version, 2)
  })

test('erases assistants and their secrets with the account', async (t) => {
  const { world, ada, api, aiFlowId, write } = await withFlow(t, 'sqlite')
  await write(everything)
  await api.publishAssistant({ aiFlowId }, {})
  await (await world.operator()).closeAccount({ accountId: ada.accountId })
  await world.clock.advance(61_000)
  const { assistants } = world.running.deps.store.read
  const left = [await assistants.draft(ada.accountId, aiFlowId), await assistants.versions(ada.accountId, aiFlowId)]
  assert.deepEqual([...left, await assistants.areUsed()], [undefined, [], false])
})

test('rejects concurrent changes of the same assistant', async (t) => {
  const { write } = await withFlow(t, 'sqlite')
  await write(plain, 0)
  await assert.rejects(write(plain, 0), withCode('conflict', '1'))
  assert.equal((await write(plain, 1)).revision, 2)
})

const wrong: [string, Partial<AssistantSettings>, string][] = [
  ['an address of another kind', { model: { url: 'ftp://example.com', name: 'x' } }, 'model/url'],
  ['a key that is no header', { model: { url: 'http://a.example', name: 'x', api_key: 'ä' } }, 'model/api_key'],
  ['a header without a value', { model: { url: 'http://a.example', name: 'x', headers: [{ name: 'A' }] } }, 'model/headers/0/value'],
  ['a language that is none', { languages: ['klingon!'] }, 'languages/0'],
  ['no disclosure without a reason', { disclosure: { mode: 'off' } }, 'disclosure/reason'],
  ['a target that the flow has not', { tools: { transfer: [{ name: 'a', target: '+4930123456', when: '' }] } }, 'tools/transfer/0/target'],
  ['the rescue services', { tools: { transfer: [{ name: 'a', target: '112', when: '' }] } }, 'tools/transfer/0/target'],
  ['a key that leads nowhere', { keys: [{ digit: '1', does: 'transfer', transfer_to: 'b' }] }, 'keys/0/transfer_to'],
  [
    'a key twice',
    {
      keys: [
        { digit: '1', does: 'hang_up' },
        { digit: '1', does: 'hang_up' },
      ],
    },
    'keys',
  ],
  ['a tool with the name of another', { tools: { http: [{ name: 'hang_up', description: 'x', url: 'http://a.example' }] } }, 'tools/http'],
  [
    'a schema that is no object',
    { tools: { http: [{ name: 'a', description: 'x', url: 'http://a.example', parameters: { type: 'string' } }] } },
    'tools/http/0/parameters',
  ],
  ['fields that are no object', { result: { fields: { type: 'array' } } }, 'result/fields'],
  ['no mail address', { tools: { take_message: { email: 'office' } } }, 'tools/take_message/email'],
]

test('rejects impossible settings and names the field', async (t) => {
  const { write } = await withFlow(t, 'sqlite')
  for (const [name, settings, field] of wrong)
    await assert.rejects(write({ ...plain, ...settings }), withCode('parameter_invalid', field), name)
})

test('returns warnings, and audits a missing disclosure', async (t) => {
  const { api, aiFlowId, write } = await withFlow(t, 'sqlite')
  const { warnings } = await write({ ...plain, disclosure: { mode: 'off', reason: 'tests' }, tools: { send_sms: {} } })
  assert.deepEqual(
    warnings.map((one) => one.split(' ')[0]),
    ['Without', 'Callers', 'tools.send_sms'],
  )
  const { items } = await api.listAccountAudit({})
  const notified = items.filter(({ action, target }) => action === 'assistant.change' && target === aiFlowId).map(({ detail }) => detail)
  assert.deepEqual(notified.filter(Boolean), [{ disclosure: 'off', reason: 'tests' }])
})
