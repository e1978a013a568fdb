import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { createClient } from '@offhook/sdk'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { blocksOf } from '#test/guides/blocks.ts'
import { commandsIn } from '#test/guides/shell.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { until } from '#test/machine/peer-process.ts'
import { ourRoot } from '#test/machine/program.ts'
import { bootSystemd, type SystemdMachine } from '#test/machine/systemd.ts'
import { needs } from '#test/peers/debian.ts'
import { letter } from '#test/service/fax-service.ts'
import { joinedPhones, type Installation } from '#test/service/joined-phones.ts'

const run = promisify(execFile)

/** Mount point of the clone: units do not see `/tmp` and homes, where it may be. */
const clone = '/opt/offhook/clone'

/** The clone in place of the package, and shorter timeouts than the unit's, to save time. */
const prepare = async (root: string): Promise<void> => {
  for (const folder of ['etc/systemd/system/offhook.service.d', 'opt/offhook/node_modules/@offhook'])
    await mkdir(join(root, folder), { recursive: true })
  await writeFile(
    join(root, 'etc/systemd/system/offhook.service.d/test.conf'),
    '[Service]\nWatchdogSec=5\nEnvironment=OFFHOOK_SPEECH=off OFFHOOK_SHED_LOAD=off\n',
  )
  await symlink(clone, join(root, 'opt/offhook/node_modules/@offhook/server'))
}

/** Types the commands of a guide, with other ports. */
const follow = async (machine: SystemdMachine, guide: string, settings: { OFFHOOK_HTTP: string; OFFHOOK_SIP: string }): Promise<void> => {
  const blocks = blocksOf(guide).filter(({ mark }) => mark?.kind === 'run by')
  for (const command of blocks.flatMap(({ text }) => commandsIn(text))) {
    const here = command.replace('127.0.0.1:8080', settings.OFFHOOK_HTTP).replace('127.0.0.1:5060', settings.OFFHOOK_SIP)
    await machine.run('sh', '-c', `cd ${clone} && ${here}`)
  }
}

const property = async (machine: SystemdMachine, name: string): Promise<string> =>
  (await machine.run('systemctl', 'show', 'offhook', '--value', '-p', name)).trim()

const installation = async (machine: SystemdMachine, settings: { OFFHOOK_HTTP: string; OFFHOOK_SIP: string }): Promise<Installation> => {
  const notes = JSON.parse(await machine.run('cat', '/var/lib/offhook/first-run.json')) as FirstRunNotes
  return { http: `http://${settings.OFFHOOK_HTTP}`, sip: settings.OFFHOOK_SIP, notes }
}

/** Faxes to a fax line of the same account: children print, send and receive it under the limits and the filter of the unit. */
const faxesItself = async ({ http, notes }: Installation): Promise<void> => {
  const [api, operator] = [notes.token ?? '', notes.operator.token].map((token) => createClient({ baseUrl: http, token }))
  assert.ok(api && operator)
  const [faxline] = (await api.listFaxlines({ userId: 'w0' })).items
  const [address] = (await api.listAddresses()).items
  const order = { accountId: notes.accountId ?? '', number: '+493090182000', addressId: address?.id ?? '' }
  const { id: numberId } = await operator.assignNumber({}, order)
  await api.changeNumber({ numberId }, { endpointId: faxline?.id ?? '' })
  const document = { filename: 'letter.pdf', base64Content: letter(1).toString('base64') }
  const { sessionId } = await api.sendFax({}, { faxlineId: faxline?.id ?? '', recipient: order.number, ...document })
  await until(
    'the fax is sent',
    async () => (await api.getOwnHistoryEntry({ entryId: sessionId })).faxStatusType === 'SENT' || undefined,
    90_000,
  )
}

const mustBeRoot = (t: TestContext): boolean => {
  if (process.getuid?.() === 0) return true
  t.skip('skipped: only root can start systemd')
  return false
}

test('becomes ready under systemd, carries a call and a fax, is restarted when stuck, and lets calls end', async (t) => {
  if (!mustBeRoot(t) || !(await needs(t, 'systemd-analyze', 'libspandsp.so.2', 'pdftoppm'))) return
  const port = await freePorts(t, 3)
  const settings = { OFFHOOK_HTTP: `127.0.0.1:${port}`, OFFHOOK_SIP: `127.0.0.1:${port + 1}` }
  const machine = await bootSystemd(t, prepare, { '/opt/offhook/node': process.execPath, [clone]: ourRoot })
  await follow(machine, 'docs/guides/systemd.md', settings) // up to the end, where the service has reported readiness
  assert.equal(await machine.run('systemd-analyze', 'verify', '/etc/systemd/system/offhook.service'), '')
  assert.equal(await property(machine, 'StatusText'), '0 calls')
  const service = await installation(machine, settings)
  await assert.rejects(machine.run('ls', '/var/lib/offhook/secret.key'), 'the key came as a credential, none was made')
  await Promise.all([joinedPhones(t, service), faxesItself(service)])
  assert.doesNotMatch(await machine.run('journalctl', '-u', 'offhook', '-o', 'cat'), new RegExp(service.notes.operator.password))

  await follow(machine, 'docs/guides/backup-and-restore.md', settings)
  assert.equal(await machine.run('systemd-analyze', 'verify', '/etc/systemd/system/offhook-backup.timer'), '')
  assert.match(
    await machine.run('sh', '-c', 'tar -tf /var/lib/offhook-backup/???.tar'),
    /^backup\.json\noffhook\.db\n.*faxes\/.*end\.json\n$/s,
  )

  const stuck = await property(machine, 'MainPID')
  await machine.run('systemctl', 'reload', 'offhook') // only reads certificates again
  assert.deepEqual([await property(machine, 'MainPID'), await property(machine, 'ActiveState')], [stuck, 'active'])
  await machine.run('kill', '-STOP', stuck)
  await until('the unit is started anew', async () => (await property(machine, 'NRestarts')) === '1' || undefined)
  assert.match(await machine.run('journalctl', '-u', 'offhook', '-o', 'cat'), /Watchdog timeout/)
  await until('it is ready again', async () => (await property(machine, 'ActiveState')) === 'active' || undefined)

  const { call } = await joinedPhones(t, service)
  const stopping = machine.run('systemctl', 'stop', 'offhook')
  await until('it ends after the call', async () => (await property(machine, 'StatusText')).startsWith('ends after') || undefined)
  assert.equal(call.session.state, 'confirmed')
  await call.session.end()
  await stopping
  assert.deepEqual([await property(machine, 'Result'), await property(machine, 'ExecMainStatus')], ['success', '0'])
})

test("restricts the service's privileges in the unit", async (t) => {
  if (!(await needs(t, 'systemd-analyze'))) return
  const unit = join(ourRoot, 'deploy/systemd/offhook.service')
  const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--threshold=15', '--no-pager', unit])
  const [, exposure] = /Overall exposure level for offhook\.service: ([\d.]+)/.exec(stdout) ?? assert.fail(stdout)
  assert.ok(Number(exposure) <= 1.5)
})
