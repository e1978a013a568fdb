// test: own process
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { InstanceFile, readInstance } from '#adapters/machine/instance-file.ts'
import { readSettings } from '#settings/config.ts'
import { makeCertificate } from '#test/machine/certificate.ts'
import { temporaryFolder } from '#test/store/databases.ts'
import { startWorld } from '#test/world/world.ts'
import { findInstance } from '../connection/instance.ts'
import { checkCertificates } from './certificates.ts'
import { checkClock } from './clock.ts'
import type { Check, DoctorContext } from './finding.ts'
import { live } from '@offhook/sdk'
import { serve } from '@offhook/sdk/serve.ts'
import { checkDisk, checkEndpoint } from '../doctor.ts'
import { checkService } from '../doctor.ts'
import { checkPorts, checkSound } from './network.ts'
import { checkReach } from './reach.ts'
import { checkVersions } from './versions.ts'

const patientWith = (environment: Record<string, string>): DoctorContext => ({ settings: readSettings(environment), runsAt: undefined })

/** One line per finding: state, subject, text. */
const says = async (check: Check, context: DoctorContext): Promise<string> =>
  (await check(context)).map(({ about, state, says: words }) => `${state} ${about}: ${words}`).join('\n')

/** A running service, and the doctor's context with its settings. */
const startPatient = async (t: TestContext, settings: Record<string, string> = {}) => {
  const world = await startWorld(t, { settings })
  const { data, running, url } = world
  const { http, sip, sipTls, https } = running.addresses
  const port = (address: string | undefined): string => `127.0.0.1:${/\d+$/.exec(address ?? '')?.[0]}`
  const fixed = {
    OFFHOOK_DATA: data,
    OFFHOOK_HTTP: port(http),
    OFFHOOK_SIP: sip,
    ...(sipTls !== undefined && { OFFHOOK_SIP_TLS: sipTls }),
    ...(https !== undefined && { OFFHOOK_HTTPS: port(https) }),
  }
  const look = async (changed: Record<string, string> = {}): Promise<DoctorContext> => ({
    settings: readSettings({ ...settings, ...fixed, ...changed }),
    runsAt: url,
    instance: await findInstance([data]),
  })
  return { world, look }
}

test('distinguishes ports of the running service from others', async (t) => {
  const { world, look } = await startPatient(t)
  const context = await look()
  assert.doesNotMatch(await says(checkPorts, context), /broken|free/)
  assert.match(await says(checkService, context), new RegExp(`^fine service: running at ${world.url} as process ${process.pid} since`))
  assert.match(await says(checkVersions, context), /^fine version: .*and so is the service\nfine schema: /)
  assert.match(await says(checkClock, context), /^\w+ clock: [^\n]*$/, 'and that of the service does not differ')
  const other = await startWorld(t)
  const taken = await look({ OFFHOOK_HTTP: other.url.replace('http://', '') })
  assert.match(await says(checkPorts, taken), /^broken port \d+ tcp: 127\.0\.0\.1 is used by (another program|\S+ \(pid \d+\))/)
  assert.match(await says(checkService, taken), /doubtful settings: OFFHOOK_HTTP is port \d+ now, but the service listens at/)
})

test('reports another version, a killed service, and one that does not answer', async (t) => {
  const { world, look } = await startPatient(t)
  const notes = (await readInstance(world.data)) ?? assert.fail()
  const file = new InstanceFile(world.data)
  await file.write({ ...notes, version: '0.0.9' })
  assert.match(await says(checkVersions, await look()), /^doubtful version: .* the service that runs is 0\.0\.9/)
  await file.write({ ...notes, instance: 'x', pid: 2 ** 30 })
  assert.match(
    await says(checkService, { ...(await look()), runsAt: undefined }),
    /^doubtful service: none is running; the last one was killed/,
  )
  await file.write({ ...notes, instance: 'x' })
  assert.match(
    await says(checkService, { ...(await look()), runsAt: undefined }),
    /^broken service: process \d+ is there, but does not answer/,
  )
  await file.write(notes)
})

test('checks certificate files and whether the service uses them', async (t) => {
  const [first, second] = await Promise.all([makeCertificate(t, 'sip.example.org'), makeCertificate(t)])
  const folder = await temporaryFolder(t)
  const files = { OFFHOOK_TLS_CERT: join(folder, 'cert.pem'), OFFHOOK_TLS_KEY: join(folder, 'key.pem') }
  await copyFile(first.certFile, files.OFFHOOK_TLS_CERT)
  await copyFile(first.keyFile, files.OFFHOOK_TLS_KEY)
  const { world, look } = await startPatient(t, { ...files, OFFHOOK_HTTPS: '127.0.0.1:0', OFFHOOK_SIP_TLS: '127.0.0.1:0' })
  const well = await says(checkCertificates, await look({ OFFHOOK_SIP_DOMAIN: 'sip.example.org', OFFHOOK_PUBLIC_URL: 'https://localhost' }))
  assert.match(
    well,
    /^fine certificate key: .*\ndoubtful certificate: .*sip\.example\.org.* 1 days are left\ndoubtful certificate chain: it signs itself\n/,
  )
  assert.equal(well.match(/fine TLS \d+: \S+ shows the certificate of the file/g)?.length, 2)
  const misnamed = await says(checkCertificates, await look({ OFFHOOK_SIP_DOMAIN: 'other.example.org', OFFHOOK_TRUST_PROXY: 'on' }))
  assert.match(misnamed, /broken certificate name: it is not for other\.example\.org \(OFFHOOK_SIP_DOMAIN\)/)
  assert.match(misnamed, /doubtful public address: OFFHOOK_HTTPS is set.*\ndoubtful proxy: /)

  await copyFile(second.certFile, files.OFFHOOK_TLS_CERT)
  assert.match(await says(checkCertificates, await look()), /broken certificate key: .* does not belong to/)
  await copyFile(second.keyFile, files.OFFHOOK_TLS_KEY)
  assert.equal((await says(checkCertificates, await look())).match(/broken TLS \d+: \S+ shows another certificate than/g)?.length, 2)
  await world.running.reload()
  assert.doesNotMatch(await says(checkCertificates, await look()), /broken/)
  await assert.rejects(
    async () => checkCertificates(await look({ OFFHOOK_TLS_CERT: '/nowhere' })),
    /the certificate cannot be read: ENOENT/,
  )
})

test('detects missing intermediate certificates and a wrong order', async (t) => {
  const authority = await makeCertificate(t)
  const folder = await temporaryFolder(t)
  const at = (name: string): string => join(folder, name)
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at('key.pem')]
  await openssl('req', ...key, '-out', at('request.pem'), '-subj', '/CN=leaf')
  await openssl(
    'x509',
    '-req',
    '-in',
    at('request.pem'),
    '-CA',
    authority.certFile,
    '-CAkey',
    authority.keyFile,
    '-days',
    '90',
    '-out',
    at('leaf.pem'),
  )
  const chainOf = async (...pems: string[]): Promise<string> => {
    await writeFile(at('chain.pem'), pems.join(''))
    return says(checkCertificates, patientWith({ OFFHOOK_TLS_CERT: at('chain.pem'), OFFHOOK_TLS_KEY: at('key.pem') }))
  }
  const leaf = await readFile(at('leaf.pem'), 'utf8')
  assert.match(await chainOf(leaf), /fine certificate: .*\n?doubtful certificate chain: .* ends before a root that Node knows: CN=test/s)
  assert.match(await chainOf(leaf, authority.cert), /fine certificate chain: 2 in the file, up to a root/)
  assert.match(
    await chainOf(leaf, (await makeCertificate(t)).cert),
    /broken certificate chain: certificate 2 in .* did not sign the one before it/,
  )
})

test('NAT: reports addresses that cannot be reached from outside', async () => {
  const nat = (environment: Record<string, string>): Promise<string> => says(checkReach, patientWith(environment))
  assert.match(await nat({}), /^fine NAT: phones are reached on this machine only/)
  assert.match(await nat({ OFFHOOK_SIP: '192.168.1.5:5060' }), /^doubtful NAT: phones are told 192\.168\.1\.5, which nobody outside/)
  assert.match(await nat({ OFFHOOK_SIP: '203.0.113.7:5060' }), /^fine NAT: phones are told 203\.0\.113\.7$/)
  assert.match(
    await nat({ OFFHOOK_PUBLIC_ADDRESS: '203.0.113.7' }),
    /^fine NAT: audio is said to be at 203\.0\.113\.7, which is on no card of this machine/,
  )
  assert.match(await nat({ OFFHOOK_PUBLIC_ADDRESS: '10.0.0.1' }), /^doubtful NAT: .* which only this network reaches/)
  assert.match(
    await nat({ OFFHOOK_PUBLIC_ADDRESS: 'nowhere.invalid' }),
    /^broken NAT: OFFHOOK_PUBLIC_ADDRESS \(nowhere\.invalid\) has no address/,
  )
  assert.match(
    await nat({ OFFHOOK_SIP_DOMAIN: 'nowhere.invalid' }),
    /\nbroken name: nowhere\.invalid \(OFFHOOK_SIP_DOMAIN\) has no address/,
  )
})

test('checks RTP ports and disk space', async (t) => {
  const few = patientWith({ OFFHOOK_RTP: '20000-20019' })
  assert.match(await says(checkSound, few), /\ndoubtful sound room: OFFHOOK_RTP has room for 10 call legs/)
  const data = await temporaryFolder(t)
  assert.match(await says(checkDisk, patientWith({ OFFHOOK_DATA: data })), /disk: \d+ MB free for \S+$/)
  await writeFile(join(data, 'a.wav'), Buffer.alloc(8_000_000))
  assert.match(await says(checkDisk, patientWith({ OFFHOOK_DATA: data })), /; 1 MB came a day in the last week, so it lasts for \d+ days$/)
})

test('checks an endpoint that is a WebSocket', async (t) => {
  const { url, close } = await serve(live({}), { port: 0, apiKey: 'k1' })
  const open = await serve(live({}), { port: 0 })
  t.after(() => Promise.all([close(0), open.close(0)]))
  const allowed = patientWith({ OFFHOOK_EGRESS_ALLOW: '127.0.0.1' })
  assert.match(await says(checkEndpoint, { ...allowed, endpoint: open.url }), /^fine 127\.0\.0\.1:\d+: opens a WebSocket$/)
  assert.match(await says(checkEndpoint, { ...allowed, endpoint: url }), /^broken .*401/)
  assert.match(await says(checkEndpoint, { ...patientWith({}), endpoint: url }), /^doubtful .* not public/)
})
