import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { retentionKinds, type RetentionKind } from '@offhook/contract/v1/settings/retention.ts'
import { takeOnce } from '#core/money/charge.ts'
import { incomingFax } from '#core/messages/fax/state/new-fax.ts'
import { anEntry } from '#test/store/an-entry.ts'
import { bothDatabases, databases, startWorld, type Person, type World } from '#test/world/world.ts'

const hour = 3_600_000
const day = 24 * hour
const secret = 'the password is swordfish'
const operatorsDefault = { days: null, maxDays: 90, effectiveDays: 90 }

const wav = (world: World, accountId: string, id: string): string => join(world.data, 'recordings', accountId, `${id}.wav`)

const writeWav = async (world: World, accountId: string, id: string): Promise<void> => {
  await mkdir(dirname(wav(world, accountId, id)), { recursive: true })
  await writeFile(wav(world, accountId, id), 'sound')
}

/** Creates one item of every kind that an account stores. */
const plant = async (world: World, { accountId, userId }: Person, name: string, at: number): Promise<void> => {
  const [call, message, fax] = [`call-${name}`, `message-${name}`, `fax-${name}`]
  for (const id of [call, message]) await writeWav(world, accountId, id)
  await world.running.deps.faxFiles.write({ accountId, faxId: fax, kind: 'document' }, Buffer.from('paper'))
  const stored = { accountId, createdAt: at, durationMs: 1_000, bytes: 5, truncated: false }
  const dated = { userId, createdAt: at, modifiedAt: at }
  await world.write(async (tables) => {
    const { history, recordings, timelines } = tables
    await history.insert(accountId, anEntry(call, { ...dated, sessionId: call, detail: { duration: 60, recordings: [{ id: call }] } }))
    await recordings.insert({ ...stored, id: call, callId: call, kind: 'CALL' })
    const said = { recordings: [{ id: message }], transcription: secret, messageText: { state: 'DONE' } } as const
    await history.insert(
      accountId,
      anEntry(message, { ...dated, sessionId: message, type: 'VOICEMAIL', detail: { ...said, recordings: [{ id: message }] } }),
    )
    await recordings.insert({ ...stored, id: message, callId: message, kind: 'VOICEMAIL' })
    await history.insert(accountId, anEntry(fax, { ...dated, sessionId: fax, type: 'FAX', detail: { papers: ['document'] } }))
    const known = { accountId, id: fax, userId, faxlineId: 'f0', sender: '+49301', recipient: '+49302', owner: undefined }
    await tables.faxes.insert({ ...incomingFax(known, at), state: 'RECEIVED' })
    const row = { accountId, callId: call, flowId: 'flow', userIds: [userId], owner: 'gone', startedAt: at, changedAt: at, lastSequence: 3 }
    const entries = [
      { callId: call, sequence: 1, at, kind: 'heard', turn: 1, text: secret, final: true, typed: false },
      {
        callId: call,
        sequence: 2,
        at,
        kind: 'event',
        eventId: 'e',
        type: 'user_speak',
        turn: 1,
        body: { type: 'user_speak', text: secret },
      },
      { callId: call, sequence: 3, at, kind: 'spoke', eventId: 'e', text: secret, startedAt: at, playedMs: 5, completed: true },
    ]
    const piece = { first: 1, last: 3, entries: JSON.stringify(entries) }
    await timelines.write([{ row: { ...row, endedAt: at, closedAt: at }, isNew: true, rowChanged: false, pieces: [piece] }])
    await tables.results.begin({ callId: `${accountId}-${call}`, accountId, flowId: 'flow', startedAt: at })
    await tables.results.tell(`${accountId}-${call}`, { messages: [], told: { summary: secret }, search: secret })
  })
}

type Kept = Record<'recording' | 'voicemail' | 'text' | 'fax' | 'timeline' | 'words' | 'result' | 'entry', boolean>

const everything: Kept = { recording: true, voicemail: true, text: true, fax: true, timeline: true, words: true, result: true, entry: true }

/** Remaining rows and files. */
const kept = async (world: World, { accountId, api }: Person, name: string): Promise<Kept> => {
  const [call, message, fax] = [`call-${name}`, `message-${name}`, `fax-${name}`]
  const { history, recordings, timelines, results, faxes } = world.running.deps.store.read
  const has = async (id: string): Promise<boolean> => {
    const row = (await recordings.find(accountId, id)) !== undefined
    const notified = ((await history.find(accountId, id))?.detail.recordings ?? []).length > 0
    assert.deepEqual([row, existsSync(wav(world, accountId, id))], [notified, notified], `${id}: row, file and entry agree`)
    return row
  }
  const text = (await history.find(accountId, message))?.detail.transcription === secret
  const { items } = await api.listOwnHistory({ search: 'swordfish' })
  assert.equal(
    items.some(({ id }) => id === message),
    text,
    'found by its words',
  )
  const fileOfFax = await world.running.deps.faxFiles.open({ accountId, faxId: fax, kind: 'document' })
  await fileOfFax?.close()
  assert.equal(fileOfFax !== undefined, (await faxes.find(accountId, fax)) !== undefined)
  const pieces = await timelines.listPieces(accountId, call, 0, 10)
  return {
    recording: await has(call),
    voicemail: await has(message),
    text,
    fax: fileOfFax !== undefined,
    timeline: (await timelines.find(accountId, call)) !== undefined,
    words: JSON.stringify(pieces).includes('swordfish'),
    result: (await results.find(accountId, 'flow', `${accountId}-${call}`)) !== undefined,
    entry: (await history.find(accountId, call)) !== undefined,
  }
}

const erasedBy: Record<RetentionKind, Partial<Kept>> = {
  recordings: { recording: false },
  voicemail: { voicemail: false, text: false },
  faxes: { fax: false },
  timelines: { timeline: false, words: false },
  transcripts: { text: false, words: false, result: false },
  history: { recording: false, voicemail: false, text: false, fax: false, timeline: false, words: false, entry: false },
}

for (const database of bothDatabases) {
  test(`${database}: erases only data older than the account's limits`, async (t) => {
    const world = await startWorld(t, { database })
    const now = world.clock.now()
    const people: Partial<Record<RetentionKind | 'none', Person>> = {}
    for (const kind of [...retentionKinds, 'none'] as const) {
      const person = (people[kind] = await world.newAccount())
      await plant(world, person, 'old', now - 7 * day)
      await plant(world, person, 'young', now - 7 * day + 2 * hour)
    }
    const each = async (check: (person: Person, kind: RetentionKind | 'none') => Promise<unknown>): Promise<void> => {
      for (const kind of [...retentionKinds, 'none'] as const) await check(people[kind]!, kind)
    }
    await each(async ({ api }, kind) => kind !== 'none' && (await api.setRetention({}, { [kind]: 7 })))
    await world.running.idle()
    await each(async (person, kind) => assert.deepEqual(await kept(world, person, 'old'), everything, `${kind}: not a moment too early`))
    await world.clock.advance(hour)
    await each(async (person, kind) => {
      const erased = kind === 'none' ? {} : erasedBy[kind]
      assert.deepEqual(await kept(world, person, 'old'), { ...everything, ...erased }, kind)
      assert.deepEqual(await kept(world, person, 'young'), everything, kind)
    })
  })
}

for (const database of databases) {
  test(`${database}: shows the effective limits, rejects more than the operator's, and audits changes`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const operator = await world.operator()
    const { accountId } = ada
    assert.deepEqual(await ada.api.getRetention(), {
      ...Object.fromEntries(retentionKinds.map((kind) => [kind, operatorsDefault])),
      history: { days: null, maxDays: null, effectiveDays: null },
    })
    await ada.api.setRetention({}, { recordings: 30, history: 400 })
    await ada.api.setRetention({}, { transcripts: 1, history: 0 })
    const { recordings, transcripts, history, voicemail } = await ada.api.getRetention()
    assert.deepEqual(recordings, { days: 30, maxDays: 90, effectiveDays: 30 })
    assert.deepEqual(transcripts, { days: 1, maxDays: 90, effectiveDays: 1 })
    assert.deepEqual([voicemail, history.days], [operatorsDefault, null])
    assert.deepEqual(await operator.readAccountRetention({ accountId }), await ada.api.getRetention())
    await assert.rejects(operator.readAccountRetention({ accountId: '0' }), { status: 404 })
    await assert.rejects(ada.api.setRetention({}, { voicemail: 91 }), { status: 400 })
    await assert.rejects(ada.api.setRetention({}, { history: -1 }), { status: 400 })
    for (const refused of [() => bob.api.getRetention(), () => bob.api.setRetention({}, { history: 1 })])
      await assert.rejects(refused(), { status: 403 })
    const audit = await world.running.deps.store.read.audit.list(accountId, { afterSeq: 0, limit: 20 })
    const changes = audit.filter(({ action }) => action === 'retention.change')
    assert.deepEqual(
      changes.map(({ actor, detail }) => [actor, detail]),
      [
        [`user:${ada.userId}`, { recordings: 30, history: 400 }],
        [`user:${ada.userId}`, { recordings: 30, transcripts: 1 }],
      ],
    )
  })

  test(`${database}: keeps the ledger, the usage and scheduled messages when entries are erased`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { accountId, userId } = ada
    await (await world.operator()).topUpBalance({ accountId }, { amount: 10_000, reason: 'cash', idempotencyKey: 'one' })
    const at = world.clock.now() - 3 * day
    const spent = { purpose: 'CALL', number: '+4921112345678', seconds: 60 } as const
    await world.write(async (tables) => {
      await takeOnce(tables, world.clock, { accountId, cost: 500, sessionId: 's-paid', reason: 'call', spent })
      const dated = { userId, createdAt: at, modifiedAt: at }
      await tables.history.insert(accountId, anEntry('paid', dated))
      await tables.history.insert(accountId, anEntry('later', { ...dated, type: 'SMS', detail: { scheduledAt: at + 30 * day } }))
    })
    const days = { from: new Date(at).toISOString().slice(0, 10), to: new Date(at + 40 * day).toISOString().slice(0, 10) }
    const before = [await ada.api.readUsage({ by: 'number', ...days }), await ada.api.readLedger({})]
    await ada.api.setRetention({}, { history: 1 })
    await world.running.idle()
    assert.deepEqual(
      (await ada.api.listOwnHistory({})).items.map(({ id }) => id),
      ['later'],
    )
    assert.deepEqual([await ada.api.readUsage({ by: 'number', ...days }), await ada.api.readLedger({})], before)
  })

  test(`${database}: applies the operator's limits where an account has none`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const now = world.clock.now()
    await plant(world, ada, 'old', now - 91 * day)
    await plant(world, ada, 'young', now - 89 * day)
    await world.clock.advance(day)
    const nothing = Object.fromEntries(Object.keys(everything).map((name) => [name, false]))
    assert.deepEqual(await kept(world, ada, 'old'), { ...nothing, entry: true })
    assert.deepEqual(await kept(world, ada, 'young'), everything)
  })
}

test('erases in batches with pauses in between', async (t) => {
  const world = await startWorld(t)
  const { accountId, userId, api } = await world.newAccount()
  const at = world.clock.now() - 2 * day
  await world.write(async ({ history }) => {
    for (let nth = 0; nth < 1_050; nth++) await history.insert(accountId, anEntry(`e${nth}`, { userId, createdAt: at, modifiedAt: at }))
  })
  await api.setRetention({}, { history: 1 })
  await world.running.idle()
  const count = () => world.running.deps.store.read.history.count(accountId, {})
  assert.equal(await count(), 50, 'one turn is twenty transactions')
  await world.clock.advance(1_000)
  assert.equal(await count(), 0)
})

test('rejects transcribing a message again whose text is too old', async (t) => {
  const world = await startWorld(t, { settings: { OFFHOOK_SPEECH: 'tones' } })
  const ada = await world.newAccount()
  await plant(world, ada, 'old', world.clock.now() - 2 * day)
  await ada.api.setRetention({}, { transcripts: 1 })
  await assert.rejects(ada.api.transcribeEntry({ entryId: 'message-old' }), { status: 409 })
})

test('removes the limits of a closed account', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  await ada.api.setRetention({}, { history: 1 })
  await (await world.operator()).closeAccount({ accountId: ada.accountId })
  assert.deepEqual(await world.running.deps.store.read.retentions.listAccounts('', 10), [])
})
