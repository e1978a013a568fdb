import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { said, offhook, ready, type Program } from '#test/machine/program.ts'
import { startPeer, until, type PeerProcess } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { notesIn } from '#test/service/exchange.ts'

/** socat, in the place of systemd: it takes datagrams and writes down what is in them. */
const listenAt = async (t: TestContext, address: string, socket: string, folder: string): Promise<PeerProcess> => {
  const manager = startPeer(t, 'socat', ['-u', '-d', '-d', address, '-'], folder)
  await until(`socat at ${socket}`, () => manager.output().includes('starting data transfer loop') || undefined)
  return manager
}

const notifications = (manager: PeerProcess, line: RegExp): Promise<string> => until(`told ${line.source}`, () => line.exec(manager.output())?.[0])

const phoneAt = async (t: TestContext, data: string, sip: string): Promise<{ phone: SipPhone; number: string }> => {
  const { sip: login, number = '' } = await notesIn(data)
  assert.ok(login)
  return { phone: await SipPhone.open(t, { server: sip.slice('sip:'.length), user: login.user, password: login.password }), number }
}

test('a service manager hears that the program is ready, lives, has calls, and ends', async (t) => {
  if (!(await needs(t, 'socat'))) return
  const data = await temporaryFolder(t)
  const socket = join(data, 'notify')
  const manager = await listenAt(t, `UNIX-RECV:${socket}`, socket, data)
  const program = offhook(t, ['serve'], { OFFHOOK_DATA: data, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '400000' })
  const { sip } = await ready(program)
  await notifications(manager, /^READY=1$/m)
  await notifications(manager, /^STATUS=0 calls\nWATCHDOG=1$/m)
  const { phone, number } = await phoneAt(t, data, sip)
  const call = phone.call(number)
  await call.answered
  await notifications(manager, /^STATUS=1 call\nWATCHDOG=1$/m) // after the threads that carry it have answered
  program.child.kill('SIGTERM')
  await notifications(manager, /^STATUS=ends after 1 call\nSTOPPING=1\nEXTEND_TIMEOUT_USEC=660000000$/m)
  await call.session.end()
  assert.equal(await program.ended, 0)
})

test('its socket may be a name without a file', async (t) => {
  if (!(await needs(t, 'socat'))) return
  const data = await temporaryFolder(t)
  const name = `offhook-test-${process.pid}`
  const manager = await listenAt(t, `ABSTRACT-RECV:${name}`, name, data)
  await ready(offhook(t, ['serve'], { OFFHOOK_DATA: data, NOTIFY_SOCKET: `@${name}` }))
  await notifications(manager, /^READY=1$/m)
  assert.doesNotMatch(manager.output(), /WATCHDOG/)
})

/** Says which of our files were loaded for managers, and keeps koffi from being found. */
const loadWatch = `import { registerHooks } from 'node:module'
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'koffi') throw new Error('there is no koffi')
    const found = next(specifier, context)
    if (/notify-socket|machine.service-manager/.test(found.url)) process.stderr.write('loaded ' + found.url + '\\n')
    return found
  },
})`
const watched = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(loadWatch)}` }

const end = async (program: Program): Promise<string> => {
  program.child.kill('SIGTERM')
  assert.equal(await program.ended, 0)
  return program.stderr
}

test('nothing of it is loaded when nobody wants to hear of us', async (t) => {
  const program = offhook(t, ['serve'], { ...watched, OFFHOOK_DATA: await temporaryFolder(t) })
  await ready(program)
  assert.doesNotMatch(await end(program), /^loaded /m)
})

test('without koffi the log says why the manager hears nothing', async (t) => {
  const data = await temporaryFolder(t)
  const program = offhook(t, ['serve'], { ...watched, OFFHOOK_DATA: data, NOTIFY_SOCKET: join(data, 'notify') })
  await ready(program)
  await said(program, 'stderr', /"event":"service_manager_unreachable".*there is no koffi/)
  assert.match(await end(program), /^loaded /m)
})
