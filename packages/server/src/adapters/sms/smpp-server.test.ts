import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { test, type TestContext } from 'node:test'
import { makeCertificate } from '#test/machine/certificate.ts'
import { ask, npmEsme, type NpmPdu, type NpmSession } from '@offhook/smpp/testing/npm-smpp.ts'
import { startWorld, type World } from '#test/world/world.ts'
import { SmppSession } from '@offhook/smpp/session/session.ts'
import { realClock } from '../clock/clocks.ts'
import { SmppServer } from './smpp-server.ts'

const smppOn = { OFFHOOK_SMPP: '127.0.0.1:0' }

interface Login {
  accountId: string
  systemId: string
  password: string
  ports: number[]
}

const newLogin = async ({ newAccount }: Pick<World, 'newAccount'>): Promise<Login> => {
  const { accountId, userId, api } = await newAccount()
  const { systemId, password, addresses } = await api.createSmppLogin({ userId, smsId: 's0' })
  return { accountId, systemId, password, ports: addresses.map((address) => Number(new URL(address).port)) }
}

const openServer = async (t: TestContext, settings: Record<string, string> = smppOn) => {
  const world = await startWorld(t, { settings, replaced: { pollIntervalMs: 1_000 } })
  return { world, login: await newLogin({ newAccount: () => world.newAccount() }) }
}

const bind = async ({ systemId, password, ports }: Login): Promise<NpmSession> => {
  const session = await npmEsme(ports[0] ?? 0)
  const { command_status } = await ask(session, 'bind_transceiver', { system_id: systemId, password })
  assert.equal(command_status, 0)
  return session
}

test('a program gets messages stored by another process', async (t) => {
  const { world, login } = await openServer(t)
  const session = await bind(login)
  const notified = once(session, 'deliver_sm')
  const { accountId } = login
  const at = world.clock.now()
  await world.write(async ({ messages, programs }) => {
    const whose = { accountId, userId: 'w0', smsId: 's0', sender: '+491701234567', recipient: '+4915799912345' }
    const times = { createdAt: at, changedAt: at, sendAt: at, giveUpAt: at }
    const sms = { ...whose, ...times, id: 'm', listed: true, text: 'Hello', segments: 1, route: 'smpp', reason: undefined }
    await messages.insert({ ...sms, direction: 'INCOMING', state: 'RECEIVED' })
    const note = { id: 'note', accountId, smsId: 's0', messageId: 'm', part: 0, onlyFailure: false, createdAt: at }
    await programs.putNote({ ...note, kind: 'MESSAGE' }, at)
  })
  const looked = world.clock.advance(1_000)
  const [pdu] = (await notified) as [NpmPdu]
  assert.equal(String(pdu.short_message?.message), 'Hello')
  session.send(pdu.response())
  await looked
  assert.equal(await world.write(({ programs }) => programs.countNotes(accountId, 's0', 'MESSAGE')), 0)
  session.close()
})

test('the addresses for programs have the public host name', async (t) => {
  const settings = { OFFHOOK_SMPP: '0.0.0.0:0', OFFHOOK_PUBLIC_URL: 'https://offhook.example' }
  const world = await startWorld(t, { settings })
  const { userId, api } = await world.newAccount()
  const { addresses } = await api.createSmppLogin({ userId, smsId: 's0' })
  assert.match(addresses.join(), /^smpp:\/\/offhook\.example:\d+$/)
})

test('the service unbinds programs when it ends', async (t) => {
  const { world, login } = await openServer(t)
  const session = await bind(login)
  session.on('unbind', (pdu: NpmPdu) => session.send(pdu.response()))
  const ended = Promise.all([once(session, 'unbind'), once(session, 'close')])
  await world.running.close()
  await ended
})

test('programs bind over TLS too', async (t) => {
  const { cert, certFile, keyFile } = await makeCertificate(t)
  const settings = { OFFHOOK_SMPP_TLS: '127.0.0.1:0', OFFHOOK_TLS_CERT: certFile, OFFHOOK_TLS_KEY: keyFile }
  const { login } = await openServer(t, settings)
  const socket = connectTls({ host: '127.0.0.1', port: login.ports[0] ?? 0, ca: cert })
  await once(socket, 'secureConnect')
  const session = new SmppSession({ role: 'esme', socket, clock: realClock(), message: () => Promise.resolve({ status: 0 }) })
  const { systemId } = await session.bind({ systemId: login.systemId, password: login.password })
  assert.equal(systemId, 'offhook')
  await session.unbind()
})

test('a failed TLS handshake closes the connection, which counts against the limit until then', async (t) => {
  const { cert, key } = await makeCertificate(t)
  const { running } = await startWorld(t)
  const faults: unknown[] = []
  const openSecured = async (handshakeMs: number): Promise<number> => {
    const secured = new SmppServer({
      ...running.deps,
      wallClock: realClock(),
      listen: undefined,
      secure: { host: '127.0.0.1', port: 0, certificate: { cert, key } },
      handshakeMs,
      pollIntervalMs: 1_000,
      onBound: () => {},
      onFault: (error) => faults.push(error),
    })
    await secured.open()
    t.after(() => secured.close())
    return secured.ports()[0]?.port ?? 0
  }
  const visit = (port: number): Socket => connect(port, '127.0.0.1').on('error', () => {})
  await once(visit(await openSecured(50)), 'close')
  const patient = await openSecured(600_000)
  const silent = Array.from({ length: 60 }, () => visit(patient))
  const isFull = Promise.withResolvers<void>()
  const left = (): number => silent.filter(({ closed }) => !closed).length
  for (const socket of silent) socket.once('close', () => left() === 50 && isFull.resolve())
  await isFull.promise
  await once(visit(patient), 'close')
  assert.equal(left(), 50, 'one address may hold so many')
  assert.deepEqual(faults, [])
})

test('unbinds a silent program when its login has ended', async (t) => {
  const { world, login } = await openServer(t)
  const session = await npmEsme(login.ports[0] ?? 0)
  await ask(session, 'bind_transmitter', { system_id: login.systemId, password: login.password })
  const ended = once(session, 'close')
  await world.write(({ programs }) => programs.removeLogin(login.accountId, 's0'))
  await world.clock.advance(30_000)
  await ended
})

test('limits connections per address and per login', async (t) => {
  const { login } = await openServer(t)
  const sessions: NpmSession[] = []
  for (let n = 0; n < 10; n++) sessions.push(await bind(login))
  const eleventh = await npmEsme(login.ports[0] ?? 0)
  const { systemId: system_id, password } = login
  assert.equal((await ask(eleventh, 'bind_transceiver', { system_id, password })).command_status, 0x0d)
  await once(eleventh, 'close')
  const sockets = Array.from({ length: 41 }, () => connect(login.ports[0] ?? 0, '127.0.0.1'))
  await Promise.race(sockets.map((socket) => once(socket, 'close')))
  const open = sockets.filter(({ closed }) => !closed).length
  assert.ok(open === 40 || open === 39, `${open} of 41 may stay; the eleventh program may still count`)
  for (const one of [...sockets, ...sessions]) one.destroy()
})
