import { resolve } from 'node:path'
import { broken, suspect, fine, type Check, type Finding, type DoctorContext } from './finding.ts'

/** The service that runs on this data folder, or what became of it. */
export const checkService: Check = (context) => {
  const { instance, runsAt } = context
  if (instance?.state === 'silent' && runsAt === undefined)
    return [
      broken(
        'service',
        `process ${instance.notes.pid} is there, but does not answer at ${instance.notes.addresses.http}`,
        'See its log. If it is none of ours, remove instance.json from the data folder.',
      ),
    ]
  if (instance?.state === 'running') return [running(instance.notes), ...otherSettings(context)]
  if (runsAt !== undefined) return [fine('service', `running at ${runsAt}`)]
  return [
    instance
      ? suspect(
          'service',
          `none is running; the last one was killed (started ${instance.notes.startedAt})`,
          'See its log. The next start settles what was left.',
        )
      : fine('service', 'none is running'),
  ]
}

type Notes = NonNullable<DoctorContext['instance']>['notes']

const running = ({ pid, addresses, startedAt }: Notes): Finding =>
  fine('service', `running at ${addresses.http} as process ${pid} since ${startedAt}`)

/** What is checked here is not what runs, when that was started with other settings. */
const otherSettings = ({ instance, settings }: DoctorContext): Finding[] => {
  const { addresses, config } = instance?.notes ?? {}
  const given = process.env['OFFHOOK_CONFIG']
  const here = given === undefined || given === '' ? undefined : resolve(given)
  const advice = 'Restart the service, or check it with the settings that it has.'
  if (config !== undefined && config !== here)
    return [
      suspect(
        'settings',
        `the service was started with ${config}, not with ${here ?? 'the environment alone'}`,
        `offhook doctor --config ${config}`,
      ),
    ]
  const { port } = settings.OFFHOOK_HTTP
  const listens = addresses && Number(new URL(addresses.http).port || 80)
  return port === 0 || port === listens
    ? []
    : [suspect('settings', `OFFHOOK_HTTP is port ${port} now, but the service listens at ${addresses?.http}`, advice)]
}
