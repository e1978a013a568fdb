import { areaTitles } from '../area-titles.ts'
import type { Alert } from './alert.ts'
import { alerts } from './alerts.ts'
import type { Area } from '#core/operate/metrics/families/family.ts'

/** docs/alerts.md */
export const alertsPage = (): string =>
  [
    '# Alerts',
    '',
    'What the rules in [deploy/prometheus/offhook-alerts.yml](../deploy/prometheus/offhook-alerts.yml) tell, and what to do then ([how to set them up](guides/monitoring.md)).',
    '**page**: somebody is woken, because calls fail or soon will. **ticket**: somebody looks at it on a working day. Names of metrics are explained in [metrics.md](metrics.md),',
    'those of log lines in [log-events.md](log-events.md).',
    '',
    ...Object.entries(alerts).flatMap(([area, group]) => [
      `## ${areaTitles[area as Area]}`,
      '',
      ...Object.entries(group).flatMap(sectionOf),
    ]),
  ].join('\n')

const sectionOf = ([name, { expr, for: duration, severity, meaning, action }]: [string, Alert]): string[] => [
  `### ${name}`,
  '',
  `**${severity}**${duration === undefined ? '' : `, after ${duration}`}. ${meaning}`,
  '',
  action,
  '',
  '```promql',
  expr,
  '```',
  '',
]
