import { Alert, Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './flow-frame.module.css'
import { isAssistant, type Flow } from './flow-state.tsx'
import { text } from './text.ts'
import { useFormat } from '#parts/value/use-format.ts'

type Tab = '' | 'assistant' | 'versions' | 'knowledge' | 'tests' | 'results' | 'test' | 'deliveries' | 'secrets'

interface FlowFrameProps {
  /** The current page of the flow. */
  tab: Tab
  /** For pages that need the full width. */
  width?: 'normal' | 'full'
  children: (flow: Flow) => ReactNode
}

/** Layout of all pages of one flow. */
export const FlowFrame = ({ tab, width = 'normal', children }: FlowFrameProps) => {
  const say = useText(text)
  const { flowId } = useParams<{ flowId: string }>()
  const flow = useRead('getFlow', { aiFlowId: flowId })
  const talk = (
    <Button component={Link} href={`/talk/${flowId}`} leftSection={<Icon name="microphone" size={16} />}>
      {say.talk}
    </Button>
  )
  return (
    <Page title={flow.data?.name ?? say.title} back={{ to: '/flows', label: say.title }} actions={flow.data && talk} width={width}>
      {flow.data && <FlowTabs flow={flow.data} tab={tab} />}
      <Loaded query={flow}>
        {(data) => (
          <>
            <FlowNotices flow={data} withSpeech={tab === ''} />
            <HealthNotice flow={data} />
            {children(data)}
          </>
        )}
      </Loaded>
    </Page>
  )
}

const FlowTabs = ({ flow, tab }: { flow: Flow; tab: Tab }) => {
  const say = useText(text)
  const may = useMay()
  const own: Tab[] = isAssistant(flow) ? ['assistant', 'versions', 'knowledge', 'tests'] : []
  const notified: Tab[] = isAssistant(flow) ? [] : ['tests', 'deliveries']
  const read: Tab[] = may('CAN_CHANGE_FLOWS') ? ['results'] : []
  const changing: Tab[] = !may('CAN_CHANGE_FLOWS') ? [] : isAssistant(flow) ? ['secrets'] : ['test', 'secrets']
  const tabs: Tab[] = isAssistant(flow) ? [...own, ...read, '', ...changing] : ['', ...notified, ...changing, ...read]
  const flowId = flow.id
  return (
    <nav className={classes.tabs} aria-label={say.title}>
      {tabs.map((path) => (
        <Link
          key={path}
          href={path === '' ? `/flows/${flowId}` : `/flows/${flowId}/${path}`}
          className={classes.tab}
          {...(path === tab && { 'aria-current': 'page' as const })}
        >
          {say.tabs[path === '' ? 'settings' : path]}
        </Link>
      ))}
    </nav>
  )
}

/** Notices about problems of a flow's settings. */
const FlowNotices = ({ flow: { disabledBecause, listener, speech }, withSpeech }: { flow: Flow; withSpeech: boolean }) => {
  const say = useText(text)
  const missing = [...new Set([speech.speaks.missing, speech.hears.missing])].filter((one) => one !== undefined)
  return (
    <>
      {disabledBecause !== undefined && (
        <Alert color="red" icon={<Icon name="alert" />} title={say.disabled}>
          {say.disabledBecause(disabledBecause)}
        </Alert>
      )}
      {listener && (
        <Alert color="blue" icon={<Icon name="headphones" />} title={say.listened}>
          {say.listenedTo(listener.to)}
        </Alert>
      )}
      {withSpeech && missing.length > 0 && (
        <Alert color="yellow" icon={<Icon name="sound" />} title={say.speechMissing}>
          {missing.join('; ')}
        </Alert>
      )}
    </>
  )
}

const pollIntervalMs = 15_000

/** Notice of a failing endpoint: since when, and what to do. Empty while it works. */
const HealthNotice = ({ flow }: { flow: Flow }) => {
  const say = useText(text)
  const format = useFormat()
  const may = useMay()('CAN_CHANGE_FLOWS')
  const health = useRead('getFlowHealth', { aiFlowId: flow.id }, { every: pollIntervalMs }).data
  // The reason for disabling is already shown above.
  if (health?.state !== 'FAILING' || flow.disabledBecause !== undefined) return null
  const { since, lastFailure } = health
  return (
    <Alert color="red" icon={<Icon name="alert" />} title={say.failingTitle} role="status">
      <Text size="sm">
        {since !== undefined && `${say.failingSince(format.moment(since))} `}
        {lastFailure && `${say.lastFailure} ${lastFailure.message}`}
      </Text>
      <Group gap="xs" mt="xs">
        {lastFailure && !isAssistant(flow) && (
          <Button component={Link} size="xs" variant="default" href={`/flows/${flow.id}/deliveries?delivery=${lastFailure.deliveryId}`}>
            {say.showFailure}
          </Button>
        )}
        {may && !isAssistant(flow) && (
          <Button component={Link} size="xs" variant="default" href={`/flows/${flow.id}/test`}>
            {say.testNow}
          </Button>
        )}
      </Group>
    </Alert>
  )
}
