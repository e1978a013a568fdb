import { Button } from '@mantine/core'
import { Link, useParams, useSearchParams } from 'wouter'
import { useRead } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useLeaveGuard } from '#parts/leave/leave-guard.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { isBusy } from './talk.ts'
import { TalkDesk } from './talk-desk.tsx'
import { text } from './text.ts'
import { useTalk } from './use-talk.ts'

/** Calls an assistant from the browser. */
export const TalkPage = () => {
  const say = useText(text)
  const { flowId } = useParams<{ flowId?: string }>()
  const [search] = useSearchParams()
  const flows = useRead('listFlows')
  const { talk, view } = useTalk()
  useLeaveGuard(isBusy(view), { title: say.leaveTitle, body: say.leaveBody, confirm: say.leave })
  const wanted = flowId ?? search.get('flow') ?? undefined
  const flow = wanted === undefined ? flows.data?.items[0] : flows.data?.items.find(({ id }) => id === wanted)
  // Leaving the page hangs up.
  const settings = flow && !isBusy(view) ? <ToSettings flowId={flow.id} /> : undefined
  return (
    <Page title={say.title} description={say.lead} width="full" actions={settings}>
      <Loaded query={flows}>
        {({ items }) => (items.length === 0 ? <NoFlow /> : <TalkDesk flows={items} flow={flow} talk={talk} view={view} />)}
      </Loaded>
    </Page>
  )
}

const ToSettings = ({ flowId }: { flowId: string }) => {
  const say = useText(text)
  return (
    <Button component={Link} href={`/flows/${flowId}`} variant="default" leftSection={<Icon name="settings" size={16} />}>
      {say.toSettings}
    </Button>
  )
}

const NoFlow = () => {
  const say = useText(text)
  return (
    <Section>
      <EmptyState
        icon="flow"
        title={say.noFlowTitle}
        action={
          <Button component={Link} href="/flows">
            {say.toFlows}
          </Button>
        }
      >
        {say.noFlowBody}
      </EmptyState>
    </Section>
  )
}
