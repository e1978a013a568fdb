import assert from 'node:assert/strict'
import { verify } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
import { startCustomer, waiting, type Received } from '#test/http/customer-endpoint.ts'
import { databases } from '#test/store/databases.ts'
import { silentWav } from '#test/sound/wav.ts'
import { openPushFixture, describableCall } from '#test/fixtures/push-fixture.ts'
import type { CallGuidance } from '#core/kernel/ports/calls.ts'

const resume: CallGuidance = { verb: undefined, onAnswer: undefined, onHangup: undefined }
const hangup: CallGuidance = { ...resume, verb: { kind: 'hangup' } }

const xml = (response: ServerResponse, body: string, type = 'application/xml'): void => {
  response.setHeader('content-type', type)
  response.end(body)
}

/** A customer that gives the same answer to every request. */
const customerWho = async (t: TestContext, answer: (response: ServerResponse, received: Received) => unknown) => {
  const fixture = await openPushFixture(t, 'sqlite')
  const customer = await startCustomer(t, (received, response) => answer(response, received))
  await fixture.set({ incomingUrl: `http://${customer.address}/in`, log: true })
  const ask = () => fixture.push.guide.begin(describableCall(fixture.accountId), waiting)
  const log = async () => {
    await fixture.push.flush()
    return fixture.store.read.pushExchanges.list(fixture.accountId, { limit: 10 })
  }
  return { ...fixture, customer, ask, log }
}

for (const database of databases) {
  test(`${database}: sends newCall as a signed form with ordered fields, and applies its reply to the call`, async (t) => {
    const { push, set, store, accountId } = await openPushFixture(t, database)
    const customer = await startCustomer(t, (_, response) => xml(response, '<Response onHangup="http://c.example/h"><Hangup/></Response>'))
    await set({ incomingUrl: `http://ad%40a:p%25w@${customer.address}/in?key=1`, log: true })
    const answer = await push.guide.begin(describableCall(accountId, { diversion: '+4930231259' }), waiting)
    assert.deepEqual(answer, { ...hangup, onHangup: 'http://c.example/h' })
    const { path, headers, body } = customer.received[0] ?? assert.fail('nothing came')
    assert.equal(path, '/in?key=1')
    assert.equal(
      body,
      'event=newCall&from=4915799912345&to=4930231250&direction=in&callId=call-1&origCallId=call-0' +
        '&user%5B%5D=Ada+Lovelace&user%5B%5D=Bob+%26+S%C3%B6hne&userId%5B%5D=w0&userId%5B%5D=w1' +
        `&fullUserId%5B%5D=${accountId}w0&fullUserId%5B%5D=${accountId}w1&xcid=call-0&diversion=4930231259`,
    )
    assert.equal(headers['content-type'], 'application/x-www-form-urlencoded; charset=UTF-8')
    assert.equal(headers.accept, 'application/xml, text/plain, text/html')
    assert.equal(headers['accept-charset'], 'utf-8')
    assert.match(headers['user-agent'] ?? '', /^Offhook\//)
    assert.equal(headers.authorization, `Basic ${Buffer.from('ad@a:p%w').toString('base64')}`)
    assert.match(String(headers['webhook-id']), /^[\w-]{30,}$/)
    assert.equal(headers['webhook-signature'], undefined, 'the account has no secret')
    const signature = Buffer.from(String(headers['x-svc-signature']), 'base64')
    assert.ok(verify('sha256', Buffer.from(body), await push.key.publicKey(), signature), 'the RSA signature is not over the body')

    await push.flush()
    const [kept, ...others] = await store.read.pushExchanges.list(accountId, { limit: 10 })
    assert.equal(others.length, 0)
    assert.deepEqual([kept?.event, kept?.callId, kept?.status, kept?.xmlError], ['newCall', 'call-1', 200, undefined])
    assert.equal(kept?.url, `http://${customer.address}/in?key=1`, 'the log shows no password')
    assert.deepEqual([kept?.request, kept?.response], [body, '<Response onHangup="http://c.example/h"><Hangup/></Response>'])
  })

  test(`${database}: selects the webhook address by direction, whitelist, line and feature`, async (t) => {
    const { push, set, store, accountId, newAccount } = await openPushFixture(t, database)
    const customer = await startCustomer(t)
    const url = (path: string) => `http://${customer.address}/${path}`
    const notifications = async (more: Parameters<typeof describableCall>[1] = {}): Promise<string | undefined> => {
      customer.received.length = 0
      const guidance = await push.guide.begin(describableCall(accountId, more), waiting)
      assert.equal(guidance !== undefined, customer.received.length === 1)
      return customer.received[0]?.path
    }
    assert.equal(await notifications(), undefined, 'nothing is set')
    await set({ incomingUrl: url('in') })
    assert.equal(await notifications(), '/in')
    assert.equal(await notifications({ direction: 'out' }), undefined)
    await set({ incomingUrl: url('in'), outgoingUrl: url('out') })
    assert.equal(await notifications({ direction: 'out' }), '/out')
    await set({ incomingUrl: url('in'), whitelist: ['g0'] })
    assert.equal(await notifications(), '/in')
    assert.equal(await notifications({ lines: ['p0'] }), undefined)
    assert.equal(await notifications({ lines: [] }), undefined)
    await set({ incomingUrl: url('in'), whitelist: [] })
    assert.equal(await notifications(), undefined)

    const line = await store.write(async (tables) => {
      await tables.phonelines.create(accountId, { owner: 'w0', alias: 'One', at: 1 })
      const own = await tables.phonelines.create(accountId, { owner: 'w0', alias: 'Two', at: 1 })
      await tables.phonelines.update(accountId, own, { incomingUrl: url('line') })
      return own
    })
    assert.equal(
      await notifications({ lines: ['p0', 'g0', line] }),
      '/line',
      'the line’s own address, whatever the whitelist of the account says',
    )
    assert.equal(await notifications({ lines: [line], direction: 'out' }), undefined, 'it has none for this direction')
    assert.deepEqual(await store.read.pushExchanges.list(accountId, { limit: 10 }), [], 'nothing is logged unless it is wanted')

    await store.write(({ accounts }) => accounts.cancelFeature(accountId, 'SVCIO'))
    assert.equal(await notifications({ lines: [line] }), undefined, 'it is not booked any more')
    assert.equal(await push.guide.begin(describableCall(await newAccount()), waiting), undefined)
  })
}

test('sends a withheld number as anonymous, and the calling user of an outgoing call', async (t) => {
  const { customer, push, accountId, set } = await customerWho(t, (response) => response.end())
  const body = async (more: Parameters<typeof describableCall>[1]) => {
    await push.guide.begin(describableCall(accountId, more), waiting)
    return customer.received.at(-1)?.body ?? ''
  }
  assert.match(
    await body({ from: undefined, users: [] }),
    /^event=newCall&from=anonymous&to=4930231250&direction=in&callId=call-1&origCallId=call-0&xcid=call-0$/,
  )
  await set({ outgoingUrl: `http://${customer.address}/out` })
  const out = { direction: 'out', from: '+4930231250', to: '11', users: [{ id: 'w0', name: 'Ada' }] } as const
  assert.match(await body(out), /&from=4930231250&to=11&direction=out&.*&user%5B%5D=Ada&userId%5B%5D=w0&fullUserId%5B%5D=\d{7}w0&xcid=/)
})

test('posts pressed keys to onData, an empty field for none, and reads the reply', async (t) => {
  const { customer, push, accountId, log } = await customerWho(t, (response) =>
    xml(response, '<Response><Hangup/></Response>', 'text/xml; charset=utf-8'),
  )
  const onData = `http://${customer.address}/keys`
  const call = describableCall(accountId)
  assert.deepEqual(await push.guide.keys(call, { onData, digits: '1*#' }, waiting), hangup)
  assert.deepEqual(await push.guide.keys(call, { onData, digits: '' }, waiting), hangup)
  assert.deepEqual(
    customer.received.map(({ path, body }) => [path, body]),
    [
      ['/keys', 'event=dtmf&dtmf=1*%23&callId=call-1'],
      ['/keys', 'event=dtmf&dtmf=&callId=call-1'],
    ],
  )
  assert.deepEqual(
    (await log()).map(({ event, request }) => [event, request.slice(0, 17)]),
    [
      ['dtmf', 'event=dtmf&dtmf=&'],
      ['dtmf', 'event=dtmf&dtmf=1'],
    ],
    'the latest first',
  )
})

const bad: [name: string, answer: (response: ServerResponse) => unknown, logged: RegExp][] = [
  ['an error', (response) => response.writeHead(500).end('<Response><Hangup/></Response>'), /^500 $/],
  ['a redirect', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), /^302 $/],
  [
    'another type',
    (response) => xml(response, '<Response><Hangup/></Response>', 'text/html'),
    /^200 the content type must be application\/xml, not "text\/html"$/,
  ],
  ['no type', (response) => response.end('<Response><Hangup/></Response>'), /^200 the content type must be/],
  ['no XML', (response) => xml(response, 'hang up, please'), /^200 ./],
  [
    'bytes that are no text',
    (response) => xml(response, Buffer.from([0x3c, 0xff, 0x00]) as unknown as string),
    /^200 the answer is not UTF-8$/,
  ],
  ['too much', (response) => xml(response, `<Response>${' '.repeat(70_000)}</Response>`), /^200 The answer has more than 16384 bytes$/],
  ['a broken line', (response) => response.destroy(), /^none The connection broke/],
  ['an empty answer', (response) => xml(response, '', 'text/html'), /^200 $/],
  ['204', (response) => response.writeHead(204).end(), /^204 $/],
]

test('continues the call after a bad reply or none, and logs the reason', async (t) => {
  let now: (response: ServerResponse) => unknown = () => {}
  const { ask, log, errors } = await customerWho(t, (response) => now(response))
  for (const [name, answer, logged] of bad) {
    now = answer
    assert.deepEqual(await ask(), resume, name)
    const [{ status, xmlError } = {}] = await log()
    assert.match(`${status ?? 'none'} ${xmlError ?? ''}`, logged, name)
  }
  assert.deepEqual(errors, [])
})

test('does not wait for the reply when the call has ended', async (t) => {
  const over = new AbortController()
  const { push, accountId, log } = await customerWho(t, () => over.abort())
  assert.deepEqual(await push.guide.begin(describableCall(accountId), over.signal), resume)
  assert.equal((await log())[0]?.xmlError, 'Nobody waits for the answer any more')
})

test('continues the call when the address is forbidden or the database is unavailable', async (t) => {
  const { push, accountId, set, log, store, errors } = await customerWho(t, (response) => response.end())
  await set({ incomingUrl: 'http://10.0.0.1/in', log: true })
  assert.deepEqual(await push.guide.begin(describableCall(accountId), waiting), resume)
  assert.match((await log())[0]?.xmlError ?? '', /not public/)
  assert.ok(await push.guide.listens(accountId, 'in'))
  const away = () => Promise.reject(new Error('away'))
  t.mock.method(store.read.accounts, 'features', away)
  t.mock.method(store.read.pushSettings, 'hasAddress', away)
  assert.equal(await push.guide.begin(describableCall(accountId), waiting), undefined)
  assert.equal(await push.guide.listens(accountId, 'in'), false)
  assert.deepEqual(errors, ['Error: away', 'Error: away'])
})

/** 100 ms of silence. */
const wav = (rate: number): Buffer => silentWav({ seconds: 0.1, rate })

/** Enough chunks that parsing each takes a while. */
const crumbs = Buffer.alloc(1_000_000, Buffer.from('junk\0\0\0\0', 'latin1'))

test('fetches a sound, also with credentials, and rejects and logs an unplayable one', async (t) => {
  const { customer, push, accountId, log } = await customerWho(t, (response, { path }) => {
    if (path === '/none.wav') response.writeHead(404).end()
    else if (path === '/crumbs.wav') response.end(Buffer.concat([wav(8000).subarray(0, 36), crumbs, wav(8000).subarray(36)]))
    else response.end(wav(path === '/fine.wav' ? 8000 : 44_100))
  })
  const sound = (path: string) => push.guide.sound(describableCall(accountId), `http://a:b@${customer.address}/${path}`, waiting)
  assert.deepEqual(Buffer.from((await sound('fine.wav')) ?? []), wav(8000))
  assert.equal(customer.received[0]?.headers.authorization, `Basic ${Buffer.from('a:b').toString('base64')}`)
  assert.deepEqual(await log(), [])
  assert.equal(await sound('none.wav'), undefined)
  assert.equal(await sound('cd.wav'), undefined)
  const [wrong, missing] = await log()
  assert.deepEqual([missing?.event, missing?.status], ['sound', 404])
  assert.match(wrong?.xmlError ?? '', /found 16-bit PCM, mono, 44100 Hz/)
  assert.equal(wrong?.url, `http://${customer.address}/cd.wav`)
  assert.equal(await sound('crumbs.wav'), undefined)
  assert.match((await log())[0]?.xmlError ?? '', /more than 100 parts before the sound/)
})
