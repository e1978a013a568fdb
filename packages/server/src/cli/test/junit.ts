import { inWords } from '@offhook/sdk/simulate/models.ts'
import { notifiedOf, type Outcome } from './outcomes.ts'

/** As CI systems read it. */
export const junitOf = (outcomes: readonly Outcome[]): string => {
  const count = (state: Outcome['state']): number => outcomes.filter((one) => one.state === state).length
  const head = `<testsuite name="offhook" tests="${outcomes.length}" failures="${count('failed')}" errors="${count('error')}" time="${seconds(outcomes)}">`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    head,
    ...outcomes.map(caseOf),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const caseOf = (outcome: Outcome): string => {
  const { name, file = 'flow', state } = outcome
  const open = `<testcase name="${escaped(name)}" classname="${escaped(file)}" time="${seconds([outcome])}"`
  const report = notifiedOf(outcome)
  if (state === 'passed' || !report) return `${open}/>`
  const element = state === 'error' ? 'error' : 'failure'
  const messages = report.failures.map(({ message }) => message)
  const text = `${messages.join('\n')}\n\n${inWords(report.transcript)}`
  return `${open}>\n<${element} message="${escaped(messages[0] ?? state)}">${escaped(text)}</${element}>\n</testcase>`
}

const seconds = (outcomes: readonly Outcome[]): string =>
  (outcomes.flatMap(({ reports }) => reports).reduce((sum, { tookMs }) => sum + tookMs, 0) / 1000).toFixed(3)

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML has no place for control characters. */
const escaped = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ' ').replaceAll(/[&<>"]/g, (one) => entities[one] ?? one)
