import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { alerts } from '#generate/alerts/alerts.ts'
import { ourRoot } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'
import { alertCases, type AlertCase } from './alert-cases.ts'

const run = promisify(execFile)
const rules = join(ourRoot, 'deploy/prometheus/offhook-alerts.yml')
const names = Object.values(alerts).flatMap((group) => Object.keys(group))

const promtool = async (...args: string[]): Promise<string> => {
  const { stdout } = await run('promtool', args).catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`)
  })
  return stdout
}

/** Two promtool tests: this alert fires, alone in its group, and nothing fires. An expired certificate also fires the expiry warning. */
const testsOf = (name: string, { fires, quiet, at = 60 }: AlertCase) => {
  const firing = { expr: 'count by (alertname) (ALERTS{alertstate="firing"})', eval_time: `${at}m` }
  const series = (values: Record<string, string>) => Object.entries(values).map(([one, text]) => ({ series: one, values: text }))
  const expected = name === 'OffhookCertificateEnded' ? [name, 'OffhookCertificateEnds'] : [name]
  const samples = expected.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 }))
  return [
    { name: `${name} fires`, interval: '1m', input_series: series(fires), promql_expr_test: [{ ...firing, exp_samples: samples }] },
    { name: `${name} is quiet`, interval: '1m', input_series: series(quiet), promql_expr_test: [{ ...firing, exp_samples: [] }] },
  ]
}

test('fires every alert when it should and only then, checked with promtool', async (t) => {
  if (!(await needs(t, 'promtool'))) return
  assert.deepEqual(Object.keys(alertCases).toSorted(), names.toSorted(), 'each alert has a case')
  assert.match(await promtool('check', 'rules', rules), new RegExp(`SUCCESS: ${names.length} rules found`))
  // One file per group: promtool evaluates all rules of a file for every minute of every case.
  const [, ...groups] = (await readFile(rules, 'utf8')).split(/^(?= {2}- name: )/m)
  assert.equal(groups.length, Object.keys(alerts).length)
  const folder = await temporaryFolder(t)
  await Promise.all(
    groups.map(async (group, index) => {
      const [ruleFile, file] = [join(folder, `group-${index}.yml`), join(folder, `cases-${index}.yml`)]
      const members = names.filter((name) => group.includes(`alert: ${name}\n`))
      const tests = members.flatMap((name) => testsOf(name, alertCases[name] ?? assert.fail()))
      await writeFile(ruleFile, `groups:\n${group}`)
      await writeFile(file, JSON.stringify({ rule_files: [ruleFile], evaluation_interval: '1m', tests })) // JSON is YAML
      assert.match(await promtool('test', 'rules', file), /SUCCESS/)
    }),
  )
})
