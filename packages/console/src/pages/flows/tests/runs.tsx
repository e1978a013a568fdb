import { Group, Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { ReportView, RunState } from '#lazy-parts/scenarios/report-view.tsx'
import { text as scenarioText } from '#lazy-parts/scenarios/text.ts'
import type { TestRun } from '#lazy-parts/scenarios/use-test-run.ts'
import classes from './tests.module.css'
import { text } from './text.ts'

export interface RunsProps {
  runs: UseQueryResult<{ items: TestRun[] }>
  /** The run whose reports are shown; missing: the newest. */
  opened: string | undefined
  onOpen: (runId: string) => void
}

/** What came of the latest runs, the newest first. */
export const Runs = ({ runs, opened, onOpen }: RunsProps) => {
  const say = useText(text)
  return (
    <Section title={say.runs} description={say.runsAbout}>
      <Loaded query={runs}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="history" title={say.noRunTitle}>
              {say.noRun}
            </EmptyState>
          ) : (
            <Stack gap="md">
              {items.map((run, index) => (
                <Run key={run.runId} run={run} isNewest={index === 0} isOpen={run.runId === (opened ?? items[0]?.runId)} onOpen={onOpen} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  )
}

interface RunProps extends Pick<RunsProps, 'onOpen'> {
  run: TestRun
  /** Screen readers read out how far it is. */
  isNewest: boolean
  isOpen: boolean
}

const Run = ({ run, isNewest, isOpen, onOpen }: RunProps) => {
  const say = useText(text)
  const { runId, state, startedAt, reports, total } = run
  const passed = reports.filter((report) => report.state === 'passed').length
  return (
    <details className={classes.run} open={isOpen} onToggle={({ currentTarget }) => currentTarget.open && !isOpen && onOpen(runId)}>
      <summary className={classes.summary}>
        <RunState state={state} />
        <span role={isNewest ? 'status' : undefined}>
          {state === 'running' ? say.over(reports.length, total) : say.passed(passed, total)}
        </span>
        <Text span size="sm" c="dimmed">
          <Whom run={run} /> · <Time at={startedAt} relative />
        </Text>
      </summary>
      <ul className={classes.reports} aria-label={say.reports}>
        {reports.map((report, index) => (
          <li key={`${report.name} ${index}`}>
            <details open={report.state !== 'passed'}>
              <summary>
                <Group gap="xs" component="span" display="inline-flex" wrap="nowrap">
                  <RunState state={report.state} />
                  <span className={classes.name}>{report.name}</span>
                </Group>
              </summary>
              <div className={classes.report}>
                <ReportView report={report} />
              </div>
            </details>
          </li>
        ))}
      </ul>
    </details>
  )
}

const Whom = ({ run: { draft, version } }: { run: TestRun }) => {
  const say = useText(scenarioText)
  return draft ? say.draft : version === undefined ? say.live : say.version(version)
}
