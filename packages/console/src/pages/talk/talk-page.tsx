import { Button } from '@mantine/core'
import { Link, useParams, useSearchParams } from 'wouter'
import { useRead } from '../../api/use-service.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { useText } from '../../words/use-text.tsx'
import { TalkDesk } from './talk-desk.tsx'
import { text } from './text.ts'

/** Calls an assistant from the browser. */
export const TalkPage = () => {
  const say = useText(text)
  const { flowId } = useParams<{ flowId?: string }>()
  const [search] = useSearchParams()
  const flows = useRead('listFlows')
  return (
    <Page title={say.title} description={say.lead} width="full">
      <Loaded query={flows}>
        {({ items }) => (items.length === 0 ? <NoFlow /> : <TalkDesk flows={items} wanted={flowId ?? search.get('flow') ?? undefined} />)}
      </Loaded>
    </Page>
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
