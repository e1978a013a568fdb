import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { ourRoot } from '#test/machine/program.ts'
import { assertSettings } from '#test/machine/settings-check.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'

const run = promisify(execFile)
const folder = join(ourRoot, 'deploy/compose')

interface Service {
  image: string
  environment?: Record<string, string>
  volumes?: string[]
  network_mode?: string
  stop_grace_period?: string
  read_only?: boolean
}

/** As the example has it, its secrets filled in. */
const filledIn = async (t: TestContext): Promise<string> => {
  const example = await readFile(join(folder, 'env.example'), 'utf8')
  const file = join(await temporaryFolder(t), 'env')
  const secret = Buffer.alloc(32, 7).toString('base64')
  const filled = example.replace('OFFHOOK_SECRET_KEY=\n', `OFFHOOK_SECRET_KEY=${secret}\n`)
  await writeFile(file, filled.replaceAll(/^(POSTGRES_PASSWORD|BUS_TOKEN|EDGE_SECRET)=$/gm, '$1=0123456789abcdef'))
  return file
}

/** What compose itself makes of the file. */
const services = async (env: string): Promise<Record<string, Service>> => {
  const { stdout } = await run('docker-compose', ['--env-file', env, '-f', join(folder, 'compose.yaml'), 'config'], { cwd: folder })
  return (parse(stdout) as { services: Record<string, Service> }).services
}

const seconds = (period: string): number => {
  const [, minutes = '0', rest = '0'] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(period) ?? assert.fail(period)
  return Number(minutes) * 60 + Number(rest)
}

suite('compose', () => {
  test('compose understands the file, images have versions, and what is mounted is there', async (t) => {
    if (!(await needs(t, 'docker-compose'))) return
    const all = await services(await filledIn(t))
    assert.deepEqual(Object.keys(all).toSorted(), ['bus', 'edge', 'https', 'offhook', 'postgres'])
    for (const [name, { image, volumes = [] }] of Object.entries(all)) {
      assert.match(image, /:\d+\.\d+(\.\d+)?(-\w+)?$/, name)
      const mounted = volumes.map((volume) => volume.split(':')[0] ?? '').filter((path) => path.startsWith('/'))
      for (const path of mounted) await access(path)
    }
  })

  test('the service knows every setting it gets, and calls have the time to end', async (t) => {
    if (!(await needs(t, 'docker-compose'))) return
    const { offhook } = await services(await filledIn(t))
    const { environment = {}, network_mode, stop_grace_period = '', read_only } = offhook ?? assert.fail()
    await assertSettings(t, environment)
    assert.deepEqual([network_mode, read_only], ['host', true])
    assert.ok(seconds(stop_grace_period) >= Number(environment['OFFHOOK_DRAIN_SECONDS']) + 30)
  })

  test('without its secrets nothing starts', async (t) => {
    if (!(await needs(t, 'docker-compose'))) return
    await assert.rejects(services(join(folder, 'env.example')), /openssl rand/)
  })

  test('Caddy, NATS and Kamailio understand their files', async (t) => {
    if (!(await needs(t, 'caddy', 'nats-server', 'kamailio', 'websocket.so', 'outbound.so', 'tls.so'))) return
    const home = await temporaryFolder(t)
    const env = { ...process.env, HOME: home, OFFHOOK_HOST: 'phone.example.org', OFFHOOK_ADDRESS: '192.0.2.10', BUS_TOKEN: 'x' }
    await run('caddy', ['validate', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')], { env })
    await run('nats-server', ['-t', '-c', join(folder, 'nats.conf')], { env })
    const edge = { EDGE_ADDRESS: '127.0.0.1', EDGE_DOMAIN: 'sip.example.org', EDGE_SECRET: 'x', EDGE_PROCESS: '127.0.0.1:5070' }
    const files = { EDGE_FILES: join(ourRoot, 'deploy/kamailio'), EDGE_FOLDER: home }
    const { stderr } = await run(join(ourRoot, 'deploy/image/start-edge'), ['-c'], { env: { ...env, ...edge, ...files } })
    assert.match(stderr, /config file ok/)
    assert.equal(await readFile(join(home, 'processes'), 'utf8'), '1 sip:127.0.0.1:5070 8 0\n2 sip:127.0.0.1:5070 0 0\n')
  })
})
