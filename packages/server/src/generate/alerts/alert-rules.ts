import type { Alert } from './alert.ts'
import { alerts } from './alerts.ts'

/** deploy/prometheus/offhook-alerts.yml. A string of JSON is a string of YAML. */
export const alertRules = (): string =>
  [
    '# Rules for Prometheus, over what each process shows at /metrics; the job has to be called offhook.',
    '# Generated from the sources of the service: change them there, or put rules of your own into another file.',
    '# What each alert means and what to do: docs/alerts.md',
    'groups:',
    ...Object.entries(alerts).flatMap(([area, group]) => [`  - name: offhook-${area}`, '    rules:', ...rulesOf(group)]),
    '',
  ].join('\n')

const rulesOf = (group: Record<string, Alert>): string[] => Object.entries(group).flatMap(([name, alert]) => ruleOf(name, alert))

const ruleOf = (name: string, { expr, for: duration, severity, summary, meaning, action }: Alert): string[] => [
  `      - alert: ${name}`,
  `        expr: ${JSON.stringify(expr)}`,
  ...(duration === undefined ? [] : [`        for: ${duration}`]),
  '        labels:',
  `          severity: ${severity}`,
  '        annotations:',
  `          summary: ${JSON.stringify(summary)}`,
  `          description: ${JSON.stringify(`${meaning} ${action}`)}`,
  `          runbook: docs/alerts.md#${name.toLowerCase()}`,
]
