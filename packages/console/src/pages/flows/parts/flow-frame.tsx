import { Alert, Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './flow-frame.module.css'
import type { Flow } from './flow-state.tsx'
import { text } from './text.ts'

export interface FlowFrameProps {
  /** Which of the flow's pages it is. */
  tab: '' | 'test' | 'deliveries' | 'secrets'
  children: (flow: Flow) => ReactNode
}

/** What all pages of one flow have around them. */
export const FlowFrame = ({ tab, children }: FlowFrameProps) => {
  const say = useText(text)
  const { flowId } = useParams<{ flowId: string }>()
  const flow = useRead('getFlow', { aiFlowId: flowId })
  const talk = (
    <Button component={Link} href={`/talk/${flowId}`} leftSection={<Icon name="microphone" size={16} />}>
      {say.talk}
    </Button>
  )
  return (
    <Page title={flow.data?.name ?? say.title} back={{ to: '/flows', label: say.title }} actions={flow.data && talk}>
      <FlowTabs flowId={flowId} tab={tab} />
      <Loaded query={flow}>
        {(data) => (
          <>
            <FlowNotices flow={data} withSpeech={tab === ''} />
            {children(data)}
          </>
        )}
      </Loaded>
    </Page>
  )
}

const FlowTabs = ({ flowId, tab }: { flowId: string; tab: FlowFrameProps['tab'] }) => {
  const say = useText(text)
  const may = useMay()
  const tabs = [
    ['', say.edit],
    ['deliveries', say.log],
    ...(may('CAN_CHANGE_FLOWS')
      ? ([
          ['test', say.test],
          ['secrets', say.secrets],
        ] as const)
      : []),
  ] as const
  return (
    <nav className={classes.tabs} aria-label={say.title}>
      {tabs.map(([path, label]) => (
        <Link
          key={path}
          href={path === '' ? `/flows/${flowId}` : `/flows/${flowId}/${path}`}
          className={classes.tab}
          {...(path === tab && { 'aria-current': 'page' as const })}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}

/** What keeps a flow from working as it is set. */
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
