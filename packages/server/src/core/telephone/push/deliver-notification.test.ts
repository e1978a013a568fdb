import assert from 'node:assert/strict'
import { generateKeyPairSync, verify } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startCustomer, until, type Received } from '#test/http/customer-endpoint.ts'
import { databases, type Database } from '#test/store/databases.ts'
import { openPushFixture, describableCall } from '#test/fixtures/push-fixture.ts'
import { customerRetries } from '#core/kernel/webhook/retry-schedule.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Followed } from '#core/kernel/ports/calls.ts'
import type { PushSigning } from '#wiring/push.ts'
import { queueAnswer, queueHangup, listUndelivered, redeliverNotification } from './notifications.ts'
import { addPushSecret } from './push-key.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour

/** A call of an account with all notifications on, and a server with scripted answers. */
const openScene = async (
  t: TestContext,
  database: Database,
  answer: (response: ServerResponse, received: Received) => unknown,
  signing?: PushSigning,
) => {
  const fixture = await openPushFixture(t, database, signing)
  const { store, clock, worker, accountId } = fixture
  const customer = await startCustomer(t, (received, response) => answer(response, received))
  const followed = (callId = 'call-1'): Followed => ({
    call: describableCall(accountId, { callId }),
    onAnswer: `http://u:p@${customer.address}/answer`,
    onHangup: `http://u:p@${customer.address}/hangup`,
    answered: undefined,
  })
  const answered = { answeringNumber: '+4930231250', user: { id: 'w0', name: 'Ada' } }
  const ended = { cause: 'normalClearing', answeringNumber: '+4930231250' } as const
  const notifyAnswer = async (of = followed()) => {
    await store.write((tables) => queueAnswer(tables, of, answered, clock.now()))
    worker.wake()
    await worker.idle()
  }
  const notifyHangup = async (of = followed()) => {
    await store.write((tables) => queueHangup(tables, of, ended, clock.now()))
    worker.wake()
    await worker.idle()
  }
  const paths = () => customer.received.map(({ path }) => path)
  const undelivered = async () => (await listUndelivered(store.read, accountId, { offset: 0, limit: 10 })).items
  return { ...fixture, customer, followed, tellAnswer: notifyAnswer, tellHangup: notifyHangup, paths, undelivered }
}

const caller = (accountId: string): UserCaller => ({ kind: 'user', accountId, userId: 'w0', admin: true, scopes: ['all'], tokenId: 't' })

for (const database of databases) {
  test(`${database}: delivers answer and hangup once each, with their fields and all signatures`, async (t) => {
    const scene = await openScene(t, database, (response) => response.writeHead(204).end())
    const { store, clock, push, customer, accountId, followed, tellAnswer: notifyAnswer, tellHangup: notifyHangup, undelivered } = scene
    const newSecret = async () => (await store.write((tables) => addPushSecret(tables, scene, caller(accountId)))).secret
    const secrets = [await newSecret()]
    await clock.advance(1000)
    secrets.unshift(await newSecret())
    await notifyAnswer()
    await notifyAnswer()
    await notifyHangup()
    await notifyHangup()
    await notifyHangup({ ...followed('call-2'), onHangup: undefined })
    assert.deepEqual(
      customer.received.map(({ path, body }) => [path, body]),
      [
        [
          '/answer',
          `event=answer&callId=call-1&user=Ada&userId=w0&fullUserId=${accountId}w0&from=4915799912345&to=4930231250&direction=in` +
            '&answeringNumber=4930231250',
        ],
        [
          '/hangup',
          'event=hangup&cause=normalClearing&callId=call-1&from=4915799912345&to=4930231250&direction=in&answeringNumber=4930231250',
        ],
      ],
    )
    for (const { headers, body } of customer.received) {
      assert.equal(headers.authorization, `Basic ${Buffer.from('u:p').toString('base64')}`)
      const proof = Buffer.from(String(headers['x-svc-signature']), 'base64')
      assert.ok(verify('sha256', Buffer.from(body), await push.key.publicKey(), proof))
      const id = String(headers['webhook-id'])
      const signatures = secrets.map((secret) => new Webhook(secret).sign(id, new Date(clock.now()), body))
      assert.equal(headers['webhook-signature'], signatures.join(' '), 'both secrets sign while they are exchanged')
      assert.equal(headers['webhook-timestamp'], String(clock.now() / 1000))
    }
    assert.notEqual(customer.received[0]?.headers['webhook-id'], customer.received[1]?.headers['webhook-id'])
    assert.deepEqual(await undelivered(), [])
  })

  test(`${database}: retries with the same bytes, gives up after ten attempts, can be replayed, and holds the hangup until the answer is settled`, async (t) => {
    let works = false
    const scene = await openScene(t, database, (response, { path }) =>
      response.writeHead(works || path === '/hangup' ? 200 : 503).end('no'),
    )
    const { store, clock, worker, customer, accountId, tellAnswer: notifyAnswer, tellHangup: notifyHangup, paths, undelivered } = scene
    await notifyAnswer()
    await clock.advance(1000)
    await notifyHangup()
    await clock.advance(hour)
    assert.ok(paths().length >= 3 && paths().every((path) => path === '/answer'), 'the end waits as long as the answer is being tried')
    await clock.advance(5 * day)
    assert.deepEqual(paths(), [...Array.from({ length: 10 }, () => '/answer'), '/hangup'])
    const tries = customer.received.filter(({ path }) => path === '/answer')
    assert.equal(new Set(tries.map(({ body, headers }) => `${String(headers['webhook-id'])} ${body}`)).size, 1)
    assert.equal(customerRetries.length, 9)

    const [dead, ...others] = await undelivered()
    assert.equal(others.length, 0)
    assert.deepEqual(
      { ...dead, request: '' },
      {
        id: String(tries[0]?.headers['webhook-id']),
        event: 'answer',
        callId: 'call-1',
        createdAt: Date.UTC(2026, 10, 15),
        url: `http://${customer.address}/answer`,
        request: '',
        attempts: 10,
        error: 'the endpoint answered 503',
      },
    )
    const { id = '' } = dead ?? {}
    const replay = (as: string) => store.write((tables) => redeliverNotification(tables, clock, caller(as), id))
    await assert.rejects(replay(await scene.newAccount()), { status: 404 }, 'it belongs to another account')
    works = true
    await replay(accountId)
    worker.wake()
    await worker.idle()
    assert.equal(customer.received.length, 12)
    const replayed = customer.received.at(-1)
    assert.deepEqual([replayed?.body, replayed?.headers['webhook-id']], [tries[0]?.body, id])
    assert.deepEqual(await undelivered(), [])
    await assert.rejects(replay(accountId), { status: 404 }, 'it was delivered')
    const audit = await store.read.audit.list(accountId, { afterSeq: 0, limit: 10 })
    assert.deepEqual(
      audit.map(({ action, target }) => [action, target]),
      [['push.redeliver', id]],
    )
  })
}

test('does not retry after a 410 or for a forbidden address', async (t) => {
  const {
    tellAnswer: notifyAnswer,
    tellHangup: notifyHangup,
    paths,
    undelivered,
    followed,
    clock,
  } = await openScene(t, 'sqlite', (response) => response.writeHead(410).end())
  await notifyAnswer()
  await notifyHangup({ ...followed(), onHangup: 'http://10.0.0.1/hangup' })
  await clock.advance(day)
  assert.deepEqual(paths(), ['/answer'])
  assert.deepEqual(
    (await undelivered()).map(({ event, attempts, error }) => `${event} ${attempts} ${error.replace(/ and .*/, '')}`).toSorted(),
    ['answer 1 the endpoint answered 410', 'hangup 1 The address is not public'],
  )
})

test('delivers a hangup without an answer immediately, and stops for an account that cancelled the feature', async (t) => {
  const {
    store,
    accountId,
    tellAnswer: notifyAnswer,
    tellHangup: notifyHangup,
    paths,
    undelivered,
    followed,
  } = await openScene(t, 'sqlite', (response) => response.end())
  await notifyHangup()
  assert.deepEqual(paths(), ['/hangup'])
  await store.write(({ accounts }) => accounts.cancelFeature(accountId, 'SVCIO'))
  await notifyAnswer(followed('call-2'))
  assert.deepEqual(paths(), ['/hangup'])
  assert.deepEqual(
    (await undelivered()).map(({ error }) => error),
    ['the account has not booked notifications any more'],
  )
})

test('logs every attempt when logging is on, and accepts the status of an oversized reply', async (t) => {
  let status = 500
  const scene = await openScene(t, 'sqlite', (response) => response.writeHead(status).end('x'.repeat(status === 500 ? 3 : 100_000)))
  const { store, clock, push, accountId, set, tellAnswer: notifyAnswer, undelivered } = scene
  await set({ log: true })
  await notifyAnswer()
  status = 503
  await clock.advance(10_000)
  status = 200
  await clock.advance(hour)
  await push.flush()
  const log = await store.read.pushExchanges.list(accountId, { limit: 10 })
  assert.deepEqual(
    log.map(({ event, status: seen, response, xmlError }) => [event, seen, response, xmlError]),
    [
      ['answer', 200, '', 'The answer has more than 16384 bytes'],
      ['answer', 503, '', 'The answer has more than 16384 bytes'],
      ['answer', 500, 'xxx', undefined],
    ],
  )
  await clock.advance(day)
  assert.deepEqual(await undelivered(), [])
})

test('does not delay other accounts when one endpoint hangs', async (t) => {
  const scene = await openScene(t, 'sqlite', (response, { body }) => (body.includes('slow') ? undefined : response.end()))
  const { store, clock, worker, customer, followed, newAccount } = scene
  for (let n = 0; n < 60; n++)
    await store.write((tables) => queueHangup(tables, followed(`slow-${n}`), { cause: 'busy', answeringNumber: undefined }, clock.now()))
  worker.wake()
  await until(() => customer.received.length === 50)
  const other = { ...followed(), call: describableCall(await newAccount(), { callId: 'quick' }) }
  await store.write((tables) => queueHangup(tables, other, { cause: 'busy', answeringNumber: undefined }, clock.now()))
  worker.wake()
  await until(() => customer.received.length === 51)
  assert.match(customer.received.at(-1)?.body ?? '', /^event=hangup&cause=busy&callId=quick&.*&answeringNumber=$/)
})

test("signs with the operator's key under an additional header name", async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const answer = (response: ServerResponse): unknown => response.writeHead(204).end()
  const scene = await openScene(t, 'sqlite', answer, { header: 'X-Provider-Signature', key: privateKey })
  await scene.tellHangup()
  const [{ headers, body } = assert.fail('nothing came')] = scene.customer.received
  assert.ok(verify('sha256', Buffer.from(body), publicKey, Buffer.from(String(headers['x-provider-signature']), 'base64')))
  assert.equal(headers['x-svc-signature'], headers['x-provider-signature'])
  assert.equal(await scene.push.key.publicKey(), publicKey.export({ type: 'spki', format: 'pem' }), 'what is shown is what signs')
})

test('counts delivery attempts by outcome', async (t) => {
  const statuses = [500, 204]
  const {
    clock,
    metrics,
    tellHangup: notifyHangup,
  } = await openScene(t, 'sqlite', (response) => response.writeHead(statuses.shift() ?? 204).end())
  await notifyHangup()
  await clock.advance(customerRetries[0] ?? 0)
  await clock.advance(hour)
  const counted = (await metrics.read()).flatMap((sample) =>
    sample.name === 'offhook_notification_attempts_total' ? [[sample.labels.outcome, sample.value]] : [],
  )
  assert.deepEqual(counted, [
    ['failed', 1],
    ['delivered', 1],
  ])
})
