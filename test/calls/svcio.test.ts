import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
import { startLoopbackServer } from '#test/http/loopback-server.ts'
import type { Phone } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { loud, secondsOf } from '#test/sound/tones.ts'
import { toneWav } from '#test/sound/wav.ts'

/** Tones in Hz: far from ringing tones, key tones, each other and each other's overtones. */
const tones = { ada: 600, bob: 1100, eve: 1700, menu: 2100, wrong: 2600 }

const sounds = new Map([
  ['/menu.wav', toneWav({ hz: tones.menu, seconds: 4 })],
  ['/wrong.wav', toneWav({ hz: tones.wrong, seconds: 4 })],
  ['/hello.wav', toneWav({ hz: tones.wrong, seconds: 2 })],
])

type Fields = Record<string, string>

/** A customer's own software, written with Node's built-ins only. `undefined` as an answer: it never answers. */
class Software {
  readonly received: Fields[] = []
  /** Answers to new calls, by dialled number, and to keys. */
  readonly says = new Map<string, (fields: Fields) => string | undefined>()
  #url = ''

  get url(): string {
    return this.#url
  }

  get address(): string {
    return new URL(this.#url).host
  }

  async start(t: TestContext): Promise<this> {
    const address = await startLoopbackServer(t, (request, response) => {
      let body = ''
      request.setEncoding('utf8')
      request.on('data', (part: string) => (body += part))
      request.on('end', () => this.#answer(new URL(request.url ?? '/', this.#url).pathname, body, response))
    })
    this.#url = `http://${address}`
    return this
  }

  #answer(path: string, body: string, response: ServerResponse): void {
    const sound = sounds.get(path)
    if (sound) return void response.writeHead(200, { 'content-type': 'audio/wav' }).end(sound)
    const fields: Fields = Object.fromEntries(new URLSearchParams(body))
    this.received.push(fields)
    if (path === '/told') return void response.writeHead(204).end()
    const says = this.says.get(path === '/keys' ? 'keys' : `${fields.direction} ${fields.to}`) ?? (() => '<Response/>')
    const answer = says(fields)
    if (answer !== undefined) response.writeHead(200, { 'content-type': 'application/xml' }).end(answer)
  }

  /** Also subscribes to the following events. */
  response(verb = ''): string {
    return `<?xml version="1.0" encoding="UTF-8"?><Response onAnswer="${this.#url}/told" onHangup="${this.#url}/told">${verb}</Response>`
  }

  menu(sound: string): string {
    const play = `<Play><Url>${this.#url}/${sound}</Url></Play>`
    return this.response(`<Gather onData="${this.#url}/keys" maxDigits="1" timeout="5000" type="dtmf">${play}</Gather>`)
  }

  event(fields: Fields): Promise<Fields> {
    const same = (one: Fields): boolean => Object.entries(fields).every(([name, value]) => one[name] === value)
    return until(`${JSON.stringify(fields)} of ${JSON.stringify(this.received)}`, () => this.received.find(same))
  }
}

const digits = (e164: string): string => e164.slice(1)

const established = (...phones: Phone[]): Promise<unknown> => Promise.all(phones.map((phone) => phone.event('CALL_ESTABLISHED')))

const hangUp = async (phone: Phone, other: Phone): Promise<void> => {
  await phone.hangUp()
  await Promise.all([phone.event('CALL_CLOSED'), other.event('CALL_CLOSED')])
}

const book = async (exchange: Exchange, { url }: Software): Promise<void> => {
  await exchange.operator.bookAccountFeature({ accountId: exchange.accountId, feature: 'SVCIO' })
  await exchange.admin.setSvcio({}, { incomingUrl: `${url}/in`, outgoingUrl: `${url}/out` })
}

test("lets an account's software control calls", { concurrency: 2 }, async (t) => {
  if (!(await needs(t, 'baresip'))) return
  const software = await new Software().start(t)
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: software.address, OFFHOOK_SPEECH: 'off' })
  await book(exchange, software)
  const dial = (number: string): string => `sip:${number}@${exchange.sip}`
  const [ada, bob, eve] = await Promise.all([
    exchange.newPhone(t, { tone: tones.ada }),
    exchange.newPhone(t, { tone: tones.bob }),
    exchange.newPhone(t, { tone: tones.eve }),
  ])
  const [atBob, atEve, hotline] = [await exchange.newLine(bob.deviceId), await exchange.newLine(eve.deviceId), await exchange.newLine()]

  const slow = t.test('continues the call after ten seconds when the software does not answer', async (t) => {
    const [caller, called] = await Promise.all([exchange.newPhone(t, {}), exchange.newPhone(t, {})])
    const { number } = await exchange.newLine(called.deviceId)
    software.says.set(`in ${digits(number)}`, () => undefined)
    const started = performance.now()
    await caller.dial(dial(number))
    await called.event('CALL_INCOMING')
    assert.ok(performance.now() - started >= 9_500)
    await called.accept()
    await established(caller, called)
    await hangUp(caller, called)
  })

  const steered = t.test('plays a menu with prompts and keys, then connects two parties', async () => {
    software.says.set(`in ${digits(hotline.number)}`, () => software.menu('menu.wav'))
    software.says.set('keys', ({ dtmf }) =>
      dtmf === '1' ? software.response(`<Dial><Number>${digits(atBob.number)}</Number></Dial>`) : software.menu('wrong.wav'),
    )
    await ada.dial(dial(hotline.number))
    await established(ada)
    await ada.hears(tones.menu, 1)
    await ada.press('7')
    await ada.hears(tones.wrong, 1)
    await ada.press('1')
    await bob.answer()
    await established(bob)
    await Promise.all([ada.hears(tones.bob, 1), bob.hears(tones.ada, 1)])
    const { callId } = await software.event({ event: 'newCall', direction: 'in', to: digits(hotline.number) })
    assert.deepEqual(
      software.received.filter(({ event }) => event === 'dtmf').map(({ dtmf }) => dtmf),
      ['7', '1'],
    )
    const common = { callId: callId ?? '', to: digits(hotline.number), direction: 'in', answeringNumber: digits(atBob.number) }
    const answer = await software.event({ event: 'answer', ...common })
    assert.deepEqual([answer.userId, answer.fullUserId], [exchange.userId, `${exchange.accountId}${exchange.userId}`])
    await hangUp(ada, bob)
    await software.event({ event: 'hangup', cause: 'normalClearing', ...common })
    const about = software.received.filter((one) => one.callId === callId).map(({ event }) => event)
    assert.deepEqual(about, ['newCall', 'dtmf', 'dtmf', 'answer', 'hangup'])
  })

  const rest = steered.then(async () => {
    await t.test('Reject: answers the caller with 486', async () => {
      software.says.set(`in ${digits(hotline.number)}`, () => software.response('<Reject reason="busy"/>'))
      await ada.dial(dial(hotline.number))
      assert.match((await ada.event('CALL_CLOSED')).param ?? '', /486/)
      await software.event({ event: 'hangup', cause: 'busy', to: digits(hotline.number) })
    })

    await t.test('Dial with two numbers: rings both and connects the one that answers', async () => {
      const numbers = [atBob, atEve].map(({ number }) => `<Number>${digits(number)}</Number>`).join('')
      software.says.set(`in ${digits(hotline.number)}`, () => software.response(`<Dial>${numbers}</Dial>`))
      await ada.dial(dial(hotline.number))
      await Promise.all([bob.event('CALL_INCOMING'), eve.event('CALL_INCOMING')])
      await eve.accept()
      await established(ada, eve)
      await bob.event('CALL_CLOSED')
      await Promise.all([ada.hears(tones.eve, 0.5), eve.hears(tones.ada, 0.5)])
      await hangUp(eve, ada)
    })

    await t.test('Play: plays the file before any phone rings, then rings the line as usual', async () => {
      software.says.set(`in ${digits(atBob.number)}`, () => software.response(`<Play><Url>${software.url}/hello.wav</Url></Play>`))
      await ada.dial(dial(atBob.number))
      await ada.event('CALL_PROGRESS')
      await bob.event('CALL_INCOMING')
      const heard = (await ada.heard()).at(-1) ?? assert.fail('nothing was heard')
      assert.ok(
        secondsOf(heard.channels[0] ?? new Float32Array(), heard.rate, tones.wrong, loud) >= 1,
        'it was heard before any phone rang',
      )
      await bob.accept()
      await established(ada, bob)
      await Promise.all([ada.hears(tones.bob, 0.5), bob.hears(tones.ada, 0.5)])
      await hangUp(ada, bob)
    })

    await t.test('continues the call after an invalid answer', async () => {
      software.says.set(`in ${digits(atBob.number)}`, () => '<!DOCTYPE html><p>It works!')
      await ada.dial(dial(atBob.number))
      await bob.event('CALL_INCOMING')
      await ada.hangUp()
      await bob.event('CALL_CLOSED')
    })

    await t.test('outbound: dials a different callee with a different caller id', async () => {
      const shown = await exchange.newNumber()
      software.says.delete(`in ${digits(atBob.number)}`)
      software.says.set(`out ${digits(atBob.number)}`, () =>
        software.response(`<Dial callerId="${digits(shown)}"><Number>${digits(atEve.number)}</Number></Dial>`),
      )
      await ada.dial(dial(atBob.number))
      const { peeruri } = await eve.event('CALL_INCOMING')
      assert.ok(peeruri?.includes(shown), peeruri)
      await eve.accept()
      await established(eve)
      const notified = { direction: 'out', to: digits(atBob.number), answeringNumber: digits(atEve.number) }
      await software.event({ event: 'answer', ...notified })
      await eve.hangUp()
      await software.event({ event: 'hangup', cause: 'normalClearing', ...notified })
    })
  })
  await Promise.all([slow, rest])
})
