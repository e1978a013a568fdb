// test: own process
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import { parse, stringify } from 'yaml'
import { temporaryFolder } from '#test/store/databases.ts'
import { startWorld, type World } from '#test/world/world.ts'
import { apply, type ApplyOptions } from './apply.ts'
import { exportAccount } from './export.ts'

const secrets = {
  ADA_PASSWORD: 'correct horse battery staple',
  RECEPTION_KEY: 'very-secret-key',
  MODEL_KEY: 'sk-model-secret',
  TOOL_KEY: 'tool-secret',
}

const company = `account:
  company: Difference Engines
  country: DE
  locale: de_DE
  currency: EUR
users:
  - { email: ada@example.com, firstname: Ada, lastname: Lovelace, role: ADMIN, locale: en_US, timezone: Europe/London, password: "\${ADA_PASSWORD}" }
  - { email: Bob@example.com, firstname: Bob, lastname: Builder, role: DEVELOPER }
lines:
  - user: ada@example.com
    name: Reception
    busyOnBusy: true
    blockAnonymous: { enabled: true, target: VOICEMAIL }
    forwardings:
      - { destination: "line:bob@example.com/Workshop", timeout: 20, active: true }
    voicemail: { active: true, timeout: 40 }
  - { user: ada@example.com, name: Door }
  - user: bob@example.com
    name: Workshop
    parallelForwardings:
      - { alias: Everybody, destination: "group:Sales", active: false }
groups:
  - { name: Sales, strategy: LINEAR, ringSeconds: 25, members: [bob@example.com, ada@example.com], faxline: true }
numbers:
  - number: "+493023125001"
    address: { countrycode: DE, postcode: "10115", city: Berlin, street: Chausseestr., number: "1" }
    to: flow:Reception
  - { number: "+12025550123", to: "voicemail:line:ada@example.com/Reception" }
  - { number: "+4915799912345", to: "sms:bob@example.com" }
hours:
  - name: Office
    timeZone: Europe/Berlin
    week: { MO: [{ from: "09:00", to: "17:00" }] }
    days: [{ date: "--12-24", name: Christmas Eve, open: [] }]
flows:
  - name: Reception
    endpoint: assistant
    webhookUrl: https://example.com/hook
    apiKey: \${RECEPTION_KEY}
    phone_number: "493023125001"
    transfer_targets: ["group:Sales", "+4930*"]
  - { name: Ärger & Co, protocol: offhook, extended_events: false }
assistants:
  - flow: Reception
    settings:
      greeting: Hello!
      prompt: |
        You are the reception.
        Be brief.
      model: { url: "http://127.0.0.1:11434/v1", name: llama, api_key: "\${MODEL_KEY}" }
      tools:
        transfer: [{ name: sales, target: "group:Sales", when: about prices }]
        http: [{ name: weather, description: The weather., url: "https://example.com/weather", headers: [{ name: X-Key, value: "\${TOOL_KEY}" }] }]
  - { flow: Ärger & Co, publish: false, settings: { greeting: Hi, prompt: "" } }
routes:
  - of: line:ada@example.com/Reception
    rules: [{ hours: Office, when: CLOSED, action: FLOW, to: "flow:Reception" }]
    overflow: [{ after: 20, action: VOICEMAIL, to: "voicemail:group:Sales" }]
  - { of: "number:+12025550123", overflow: [{ after: BUSY, action: FORWARD, to: "group:Sales" }] }
  - { of: flow:Reception, rules: [{ hours: Office, when: CLOSED, action: ANNOUNCE }] }
`

/** One installation after the other: a command finds it by its environment. */
const use = (world: World, tokens: Record<string, string>, environment: Record<string, string> = {}): void => {
  for (const name of Object.keys(process.env))
    if (/^OFFHOOK_(URL|DATA|TOKEN|OPERATOR_TOKEN)$|_KEY$|PASSWORD/.test(name)) delete process.env[name]
  Object.assign(process.env, { OFFHOOK_URL: world.url, OFFHOOK_DATA: '/nowhere', ...tokens, ...environment })
}

const operatorTokens = async (world: World): Promise<Record<string, string>> => {
  const OFFHOOK_OPERATOR_TOKEN = await world.write(async (tables) => {
    await tables.operators.insert({ id: 'op', email: 'op@example.com', name: 'Op', passwordHash: 'none', createdAt: 0 })
    return issueToken(tables, world.clock, { kind: 'operator', holder: { operatorId: 'op' }, subject: 'op', scopes: ['all'] })
  })
  return { OFFHOOK_OPERATOR_TOKEN }
}

const run = async (t: TestContext, work: () => Promise<void>): Promise<string> => {
  const log = t.mock.method(console, 'log', () => {})
  try {
    await work()
    return log.mock.calls.map(({ arguments: [line] }) => String(line)).join('\n')
  } finally {
    log.mock.restore()
  }
}

/** Answers by its list of statuses, then with 401. */
const startBusyService = async (t: TestContext, statuses: number[]): Promise<{ url: string; requests: () => number }> => {
  let requests = 0
  const server = createServer((_request, response) => {
    response.writeHead(statuses[requests++] ?? 401, { 'retry-after': '0.001' }).end('{"code":"invalid_token","message":"no"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests }
}

const files = async (t: TestContext) => {
  const folder = await temporaryFolder(t)
  let count = 0
  return {
    put: async (text: string): Promise<string> => {
      const file = join(folder, `${++count}.yaml`)
      await writeFile(file, text)
      return file
    },
    exported: async (): Promise<string> => {
      const output = join(folder, `${++count}.yaml`)
      await exportAccount({ output })
      return readFile(output, 'utf8')
    },
  }
}

const logInAs = async (world: World, email: string): Promise<Record<string, string>> => {
  const { token } = await world.client().createSessionToken({}, { username: email, password: secrets.ADA_PASSWORD })
  return { OFFHOOK_TOKEN: token }
}

/** A file applied to a fresh installation. */
const founded = async (t: TestContext, text: string, environment: Record<string, string> = secrets) => {
  const world = await startWorld(t)
  const { put, exported } = await files(t)
  use(world, await operatorTokens(world), environment)
  const file = await put(text)
  const written = await run(t, () => apply(file, { operator: true }))
  const tokens = await logInAs(world, 'ada@example.com')
  use(world, tokens, environment)
  const applying = (path: string, options: ApplyOptions = {}): Promise<string> => run(t, () => apply(path, options))
  return { world, file, put, exported, written, tokens, applying, api: world.client(tokens['OFFHOOK_TOKEN']) }
}

test('applies twice without a change, and exports the same from another installation', async (t) => {
  const first = await founded(t, company)
  assert.match(first.written, /^\+ account\n\+ user:ada@example\.com\n[^]*\+ route[^]*\nCreate: 17\. Change: 0\. Unchanged: 0\./)
  assert.match(await first.applying(first.file), /^No change: 17 entries\. Entries with secrets that are set: 2\.$/)
  assert.equal((await first.api.listFlows()).items.find(({ name }) => name === 'Reception')?.version, 1)
  const { id: aiFlowId = '' } = (await first.api.listFlows()).items.find(({ name }) => name === 'Reception') ?? {}
  assert.equal((await first.api.listAssistantVersions({ aiFlowId })).items.length, 1, 'the same secrets publish nothing')

  const exported = await first.exported()
  for (const secret of Object.values(secrets)) assert.ok(!exported.includes(secret), secret)
  use(first.world, first.tokens)
  assert.match(await first.applying(await first.put(exported)), /^No change: 17 entries\.$/)
  await first.world.running.close()

  const names = [...exported.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
  assert.equal(names.length, 5)
  const second = await founded(t, exported, Object.fromEntries(names.map((name) => [name, secrets.ADA_PASSWORD])))
  assert.equal(await second.exported(), exported)
})

test('shows differences without writing anything, and writes them', async (t) => {
  const { put, exported, applying, api } = await founded(t, company)
  const before = await exported()
  const changed = company
    .replace('Be brief.', 'Be polite.')
    .replace('timeout: 20', 'timeout: 30')
    .replace('phone_number: "493023125001"', 'language: de-DE')
    .replace('to: flow:Reception', 'to: null')
    .concat('  - { of: group:Sales, overflow: [{ after: 15, action: REFUSE }] }\n')
    .replace('hours:\n', 'hours:\n  - { name: Weekend, timeZone: UTC, week: {}, days: [] }\n')
  const file = await put(changed)
  assert.equal(
    await applying(file, { dryRun: true }),
    [
      '~ line:ada@example.com/Reception',
      '~ number:+493023125001',
      '+ hours:Weekend',
      '~ flow:Reception',
      '~ assistant:Reception',
      '+ routes of group:Sales',
      'Create: 2. Change: 4. Unchanged: 13. Entries with secrets that are set: 2. Nothing was written.',
    ].join('\n'),
  )
  const diff = await applying(file, { diff: true })
  assert.match(diff, /\n {4}to: "flow:Reception" → null\n/)
  assert.match(
    diff,
    /\n {4}phone_number: "493023125001" → not set\n {4}language: "de-DE"\n|\n {4}language: "de-DE"\n {4}phone_number: "493023125001" → not set\n/,
  )
  assert.match(diff, /settings\.prompt: "You are the reception\.\\nBe brief\.\\n" → "You are the reception\.\\nBe polite\.\\n"\n/)
  for (const secret of Object.values(secrets)) assert.ok(!diff.includes(secret), secret)
  assert.equal(await exported(), before)

  assert.match(await applying(file), /\nCreate: 2\. Change: 4\. Unchanged: 13\./)
  assert.match(await applying(file), /^No change: 19 entries\./)
  const { id: aiFlowId = '' } = (await api.listFlows()).items.find(({ name }) => name === 'Reception') ?? {}
  assert.equal((await api.getRollout({ aiFlowId })).stable, 2)
  assert.equal((await api.listNumbers()).items.find(({ number }) => number === '+493023125001')?.endpointId, '')
})

test('finds a renamed resource by its id and keeps what the file does not name', async (t) => {
  const { put, applying, api } = await founded(t, company)
  const { id } = (await api.listSchedules()).items[0] ?? assert.fail()
  const renamed = `lines: [{ id: p2, user: ada@example.com, name: Gate }]
groups: [{ id: g0, name: Sales team }]
hours: [{ id: "${id}", name: Opening hours, timeZone: Europe/Berlin, week: {}, days: [] }]
`
  assert.match(await applying(await put(renamed)), /^~ line:ada@example\.com\/Gate\n~ group:Sales team\n~ hours:Opening hours\n/)
  const [{ items: lines }, group] = [await api.listPhonelines({ userId: 'w0' }), await api.getGroup({ groupId: 'g0' })]
  assert.deepEqual(
    lines.map(({ alias }) => alias),
    ['Reception', 'Gate'],
  )
  assert.deepEqual([group.alias, group.members], ['Sales team', ['w1', 'w0']])
  assert.equal((await api.getSchedule({ scheduleId: id })).name, 'Opening hours')
  assert.equal((await api.listUsers()).items.length, 2)
})

test('names the entry and line of an error and what was applied before it', async (t) => {
  const { put, applying, api } = await founded(t, company)
  const broken = `hours:
  - { name: Summer, timeZone: UTC, week: {}, days: [] }
  - { name: Winter, timeZone: Europe/Atlantis, week: {}, days: [] }
  - { name: Spring, timeZone: UTC, week: {}, days: [] }
`
  const file = await put(broken)
  await assert.rejects(applying(file), (error: Error) => {
    assert.match(error.message, /\.yaml:3: hours:Winter: .*timeZone/)
    assert.match(error.message, /\nApplied before it: hours:Summer\.\n/)
    return true
  })
  assert.deepEqual(
    (await api.listSchedules()).items.map(({ name }) => name),
    ['Office', 'Summer'],
  )
  assert.match(
    await applying(await put(broken.replace('Europe/Atlantis', 'UTC'))),
    /^\+ hours:Winter\n\+ hours:Spring\nCreate: 2\. Change: 0\. Unchanged: 1\./,
  )
})

test('rejects what cannot be applied before anything is written', async (t) => {
  const { put, exported, applying } = await founded(t, company)
  const before = await exported()
  const hours = (name: string): string => `{ name: ${name}, timeZone: UTC, week: {}, days: [] }`
  const cases: [string, RegExp][] = [
    ['numbers: [{ number: "+12025550199" }]', /does not have number:\+12025550199.*--operator/],
    ['account: { company: Other }', /account\.company differs.*--operator/],
    ['flows:\n  - { name: A, apiKey: plain }', /:2: apiKey is a secret.*\$\{NAME\}/],
    ['flows:\n  - { name: A, apiKey: "${OFFHOOK_TOKEN}" }', /:2: apiKey is a secret/],
    ['flows:\n  - { name: A, apiKey: "${NOT_SET}" }', /:2: flow:A: NOT_SET is not set/],
    ['flows:\n  - { name: A, webhookUrl: "https://example.com/${HOME}" }\n  - { name: A }', /:3: .*flow:A is there twice/],
    ['groups:\n  - { name: A, members: [eve@example.com] }', /:2: groups\[1\]: user:eve@example\.com is neither/],
    ['numbers:\n  - { number: "+493023125001", to: "line:ada@example.com/None" }', /line:ada@example\.com\/None is neither/],
    ['routes: [{ of: group:Sales, rules: [{ hours: None, when: OPEN, action: RING }] }]', /hours:None is neither/],
    [`hours: [${hours('A')}, ${hours('A')}]`, /hours:A is there twice/],
    ['users:\n  - { email: no, firstname: A }', /:2: users\[1\]\.lastname is required/],
    ['lanes: []', /:1: lanes is not known/],
  ]
  for (const [text, message] of cases) await assert.rejects(applying(await put(text)), message, text)
  assert.equal(await exported(), before)
  await assert.rejects(applying('/nowhere/at-all.yaml'), /cannot be read/)
})

test('waits as long as a busy service says', async (t) => {
  const { url, requests } = await startBusyService(t, [429, 429])
  await assert.rejects(exportAccount({ url, token: 'x' }), /^Mistake: no/)
  assert.equal(requests(), 3)
})

test('changes the account itself only as the operator, and only through its own administrator', async (t) => {
  const { world, put, applying, api, tokens } = await founded(t, company)
  const file = await put('account: { company: Difference Engines, locale: en_US, logoUrl: "https://example.com/logo.png" }')
  await assert.rejects(applying(file), /account\.locale differs|account\.logoUrl differs/)
  const operator = await world.write(async (tables) =>
    issueToken(tables, world.clock, { kind: 'operator', holder: { operatorId: 'op' }, subject: 'op', scopes: ['all'] }),
  )
  use(world, { ...tokens, OFFHOOK_OPERATOR_TOKEN: operator })
  assert.match(await applying(file, { operator: true }), /^~ account\n/)
  assert.equal((await api.getAccount()).logoUrl, 'https://example.com/logo.png')
  assert.match(await applying(file, { operator: true }), /^No change: 0 entries\./)
  await assert.rejects(
    applying(await put('account: { company: Difference Engines, country: AT }'), { operator: true }),
    /country is DE and cannot/,
  )
  const stranger = await world.newAccount()
  use(world, { OFFHOOK_TOKEN: stranger.token, OFFHOOK_OPERATOR_TOKEN: operator })
  await assert.rejects(applying(file, { operator: true }), /belongs to another account/)
  use(world, { OFFHOOK_OPERATOR_TOKEN: operator })
  await assert.rejects(applying(file, { operator: true }), /OFFHOOK_TOKEN, or the password/)
  await assert.rejects(applying(await put('users: []'), { operator: true }), /say which account/)
  use(world, { OFFHOOK_URL: world.url })
  await assert.rejects(applying(file, { operator: true }), /operator’s token is needed/)
})

const everything = {
  flows: [
    {
      name: 'Everything',
      endpoint: 'assistant',
      websocketUrl: 'wss://example.com/socket',
      fallbackUrl: 'https://example.com/fallback',
      media: { mode: 'both', format: 'pcmu', rate: 8000 },
      language: 'en-GB',
      tts: { provider: 'openai', language: 'en-GB', voice: 'alloy' },
      stt: { provider: 'deepgram', languages: ['en-GB', 'de-DE'], custom_vocabulary: ['Offhook'] },
      pronunciations: [{ word: 'Siegl', say: '/ˈziːɡl̩/', language: 'de' }],
      barge_in: { strategy: 'minimum_characters', minimum_characters: 5, allow_after_ms: 300 },
      vad: { end_of_turn_silence_ms: 700 },
      turn_taking: 'patient',
      fillers: { after_ms: 900, texts: ['One moment.'] },
      timeouts: { attempt_ms: 1000, total_ms: 3000, user_input_seconds: 5, silence_seconds: 30, max_call_seconds: 600 },
      fallback: { text: 'Sorry.', transfer_to: 'group:Sales' },
      retry_text: 'Again, please.',
      extended_events: ['user_speak_partial'],
      transfer_targets: ['line:bob@example.com/Workshop', 'voicemail:group:Sales', '+493012345678', '+43*'],
      recording: true,
      keep_timeline: false,
      redact: ['card', 'iban'],
      answering_machine_detection: 'field',
      answer_after_seconds: 3,
    },
  ],
  assistants: [
    {
      flow: 'Everything',
      settings: {
        greeting: 'Hello\nthere: "you"',
        prompt: '# Be nice\n- always\n\n  ${HOME} is only text here\n',
        model: {
          url: 'https://models.example.com/v1',
          name: 'large',
          api_key: '${MODEL_KEY}',
          headers: [{ name: 'X-Team', value: '${TOOL_KEY}' }],
          temperature: 0,
          second: { url: 'https://other.example.com/v1', name: 'small', api_key: '${RECEPTION_KEY}' },
        },
        languages: ['de-DE'],
        time_zone: 'Europe/Berlin',
        disclosure: { mode: 'first', text: 'This is a machine.', texts: { de: 'Dies ist eine Maschine.' } },
        keys: [{ digit: '1', does: 'transfer', transfer_to: 'sales' }],
        tools: {
          transfer: [{ name: 'sales', target: 'voicemail:group:Sales', when: 'always' }],
          take_message: { email: 'ada@example.com' },
        },
        knowledge: { use: 'always', embeddings: { url: 'https://e.example.com/v1', name: 'e', api_key: '${ADA_PASSWORD}' } },
        limits: { turns: 10, seconds: 60 },
        topics: { forbidden: [{ name: 'Politics', words: ['election'] }], text: 'No.' },
        result: { summary: true, outcomes: ['sold'], webhook_url: 'https://example.com/result' },
      },
    },
  ],
}

test('exports every setting of a flow and an assistant as it was written', async (t) => {
  const { put, exported, applying } = await founded(t, company)
  const file = await put(stringify(everything))
  assert.match(await applying(file), /\nCreate: 2\. Change: 0\./)
  const { flows, assistants } = parse(await exported()) as typeof everything
  assert.deepEqual(
    flows.find(({ name }) => name === 'Everything'),
    everything.flows[0],
  )
  const written = assistants.find(({ flow }) => flow === 'Everything')
  const placeholders = /"\$\{[A-Z0-9_]+\}"/g
  const withoutNames = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(placeholders, '"secret"'))
  assert.deepEqual(withoutNames(written), withoutNames(everything.assistants[0]))
  assert.match(await applying(file), /^No change: 2 entries\./)
})
