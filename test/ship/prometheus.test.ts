import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { families } from '#core/operate/metrics/families/table.ts'
import type { Family } from '#core/operate/metrics/families/table.ts'
import { startCustomer } from '#test/http/customer-endpoint.ts'
import { until } from '#test/machine/peer-process.ts'
import { ourRoot } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'
import { startAlertmanager, startPrometheus, type Prometheus } from '#test/peers/prometheus.ts'
import { sippSucceeds } from '#test/peers/sipp.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { rtpCapture } from '#test/sound/rtp-capture.ts'
import { panels } from '#generate/dashboard/dashboard.ts'

const run = promisify(execFile)
const carrier = '127.0.0.2'
const token = 'a-token-for-metrics'
const deploy = join(ourRoot, 'deploy/prometheus')

/** Carrier's call of three seconds with these packets lost. */
const call = (t: TestContext, exchange: Exchange, isLost: (index: number) => boolean): Promise<unknown> =>
  sippSucceeds(t, {
    scenario: 'uac-capture',
    target: exchange.sip,
    service: exchange.demoNumber,
    address: carrier,
    files: { 'call.pcap': rtpCapture(150, isLost) },
    more: ['-d', '6000'], // 3 s of sound, which a busy machine sends late
  })

test('is scraped by Prometheus with the shipped configuration, including call quality', async (t) => {
  if (!(await needs(t, 'prometheus', 'promtool', 'sipp'))) return
  const exchange = await startExchange(t, { OFFHOOK_METRICS_TOKEN: token })
  await exchange.newTrunk(carrier)
  const prometheus = await startPrometheus(t, { target: new URL(exchange.http).host, token })
  await prometheus.until('up{job="offhook"}', (value) => value === 1)
  await call(t, exchange, () => false)
  await prometheus.until('offhook_rtp_mos_count', (value) => value === 1)
  assert.equal(await prometheus.until('offhook_rtp_lost_packets_total', () => true), 0)
  const clean = await prometheus.until('offhook_rtp_mos_sum', () => true)
  await call(t, exchange, (index) => index % 10 === 5)
  await prometheus.until('offhook_rtp_mos_count', (value) => value === 2)
  await soundOfBoth(prometheus, clean)
  await everythingIsKnown(prometheus)
  await everyPictureHasAnExpression(prometheus)
  await rulesAreWell(prometheus)
})

/** One call lost nothing, the other 15 of 150 packets. */
const soundOfBoth = async (prometheus: Prometheus, clean: number): Promise<void> => {
  const value = (expr: string): Promise<number> => prometheus.until(expr, () => true)
  assert.equal(await value('offhook_rtp_lost_packets_total'), 15)
  assert.equal(await value('offhook_rtp_received_packets_total'), 285)
  assert.equal(await value('offhook_rtp_loss_ratio_bucket{le="0"}'), 1)
  assert.equal(await value('offhook_rtp_loss_ratio_bucket{le="0.1"}'), 2)
  assert.ok(Math.abs((await value('offhook_rtp_loss_ratio_sum')) - 0.1) < 1e-9)
  const poor = (await value('offhook_rtp_mos_sum')) - clean
  assert.ok(clean > 4 && clean <= 4.5, `${clean}`)
  assert.ok(poor > 2.6 && poor < 3.6, `a tenth is lost: ${poor}`)
  assert.equal(await value('offhook_rtp_jitter_seconds_count'), 2)
  assert.equal(await value('sum(offhook_calls_ended_total)'), 2)
  assert.ok((await value('sum(offhook_sip_responses_total{direction="sent",class="2xx"})')) >= 4)
}

/** Type and help of all scraped metrics match the table. */
const everythingIsKnown = async (prometheus: Prometheus): Promise<void> => {
  const known = await prometheus.ask<Record<string, { type: string; help: string }[]>>('metadata')
  assert.ok(Object.keys(known).length > 60)
  const table: Record<string, Family> = families
  for (const [name, [one]] of Object.entries(known)) assert.deepEqual([one?.type, one?.help], [table[name]?.type, table[name]?.help], name)
}

const everyPictureHasAnExpression = async (prometheus: Prometheus): Promise<void> => {
  const expressions = Object.values(panels).flatMap((row) => row.flatMap(({ queries }) => queries.map(({ expr }) => expr)))
  for (const expr of expressions) await prometheus.query(expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'))
}

interface Rules {
  groups: { rules: { name: string; health: string; state: string; lastError?: string }[] }[]
}

/** All rules were evaluated, and a healthy process raises no alert. */
const rulesAreWell = async (prometheus: Prometheus): Promise<void> => {
  const { groups } = await prometheus.ask<Rules>('rules')
  const rules = groups.flatMap((group) => group.rules)
  assert.ok(rules.length > 30)
  for (const { name, health, state, lastError = '' } of rules) assert.deepEqual([name, health, state, lastError], [name, 'ok', state, ''])
  assert.deepEqual(
    rules.filter(({ state }) => state === 'firing').map(({ name }) => name),
    [],
  )
}

/** Certificate that expires in less than a day. */
const expiringCertificate = async (t: TestContext): Promise<Record<string, string>> => {
  const folder = await temporaryFolder(t)
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=test', '-days', '1']
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    key,
    '-out',
    cert,
    ...subject,
  ])
  return { OFFHOOK_TLS_CERT: cert, OFFHOOK_TLS_KEY: key }
}

interface Told {
  receiver: string
  alerts: { status: string; labels: Record<string, string>; annotations: Record<string, string> }[]
}

test('delivers an alert with its cause and remedy to the on-call receiver', async (t) => {
  if (!(await needs(t, 'prometheus', 'prometheus-alertmanager'))) return
  const woken = await startCustomer(t)
  const alertmanager = await startAlertmanager(t, woken.address)
  const exchange = await startExchange(t, { OFFHOOK_METRICS_TOKEN: token, ...(await expiringCertificate(t)) })
  await startPrometheus(t, { target: new URL(exchange.http).host, token, alertmanager })
  const notified = await until('the page', () => woken.received.find(({ path }) => path === '/pages'))
  const { receiver, alerts } = JSON.parse(notified.body) as Told
  const [{ status, labels, annotations } = assert.fail()] = alerts
  assert.deepEqual([receiver, status, labels.alertname, labels.name], ['pages', 'firing', 'OffhookCertificateEnded', 'tls'])
  assert.equal(annotations.summary, `The certificate tls of ${new URL(exchange.http).host} ends within a day, or has ended`)
  assert.match(annotations.description ?? '', /Renew it by hand now/)
  assert.equal(annotations.runbook, 'docs/alerts.md#offhookcertificateended')
})

test('ships valid configurations for Prometheus and Alertmanager', async (t) => {
  if (!(await needs(t, 'promtool', 'amtool'))) return
  const folder = await temporaryFolder(t)
  for (const file of ['prometheus.yml', 'offhook-alerts.yml']) await copyFile(join(deploy, file), join(folder, file))
  await copyFile(join(deploy, 'prometheus.yml'), join(folder, 'offhook-token'))
  assert.match(
    (await run('promtool', ['check', 'config', join(folder, 'prometheus.yml')])).stdout,
    /SUCCESS: .* is valid prometheus config/,
  )
  assert.match((await run('amtool', ['check-config', join(deploy, 'alertmanager.yml')])).stdout, /SUCCESS/)
})
