import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { said, offhook, ready, type Program } from '#test/machine/program.ts'
import { startPeer, until, type PeerProcess } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { notesIn } from '#test/service/exchange.ts'

/** socat in place of systemd: logs received datagrams. */
const listenAt = async (t: TestContext, address: string, socket: string, folder: string): Promise<PeerProcess> => {
  const manager = startPeer(t, 'socat', ['-u', '-d', '-d', address, '-'], folder)
  await until(`socat at ${socket}`, () => manager.output().includes('starting data transfer loop') || undefined)
  return manager
}

const notifications = (manager: PeerProcess, line: RegExp): Promise<string> =>
  until(`told ${line.source}`, () => line.exec(manager.output())?.[0])

const phoneAt = async (t: TestContext, data: string, sip: string): Promise<{ phone: SipPhone; number: string }> => {
  const { sip: login, number = '' } = await notesIn(data)
  assert.ok(login)
  return { phone: await SipPhone.open(t, { server: sip.slice('sip:'.length), user: login.user, password: login.password }), number }
}

test('notifies the service manager of readiness, watchdog, calls and stop', async (t) => {
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
  await notifications(manager, /^STATUS=1 call\nWATCHDOG=1$/m) // after the threads of the call have answered
  program.child.kill('SIGTERM')
  await notifications(manager, /^STATUS=ends after 1 call\nSTOPPING=1\nEXTEND_TIMEOUT_USEC=660000000$/m)
  await call.session.end()
  assert.equal(await program.ended, 0)
})

test('supports an abstract socket', async (t) => {
  if (!(await needs(t, 'socat'))) return
  const data = await temporaryFolder(t)
  const name = `offhook-test-${process.pid}`
  const manager = await listenAt(t, `ABSTRACT-RECV:${name}`, name, data)
  await ready(offhook(t, ['serve'], { OFFHOOK_DATA: data, NOTIFY_SOCKET: `@${name}` }))
  await notifications(manager, /^READY=1$/m)
  assert.doesNotMatch(manager.output(), /WATCHDOG/)
})

/** Reports which of the project's modules were loaded for managers, and hides koffi. */
const loadWatch = `import { registerHooks } from 'node:module'
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'koffi') throw new Error('there is no koffi')
    const found = next(specifier, context)
    if (/service-manager/.test(found.url)) process.stderr.write('loaded ' + found.url + '\\n')
    return found
  },
})`
const watched = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(loadWatch)}` }

const end = async (program: Program): Promise<string> => {
  program.child.kill('SIGTERM')
  assert.equal(await program.ended, 0)
  return program.stderr
}

test('loads no notification code without a service manager', async (t) => {
  const program = offhook(t, ['serve'], { ...watched, OFFHOOK_DATA: await temporaryFolder(t) })
  await ready(program)
  assert.doesNotMatch(await end(program), /^loaded /m)
})

test('logs why the manager gets no notifications without koffi', async (t) => {
  const data = await temporaryFolder(t)
  const program = offhook(t, ['serve'], { ...watched, OFFHOOK_DATA: data, NOTIFY_SOCKET: join(data, 'notify') })
  await ready(program)
  await said(program, 'stderr', /"event":"service_manager_unreachable".*there is no koffi/)
  assert.match(await end(program), /^loaded /m)
})
