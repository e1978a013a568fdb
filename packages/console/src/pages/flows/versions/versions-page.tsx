import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { FlowFrame } from '../parts/flow-frame.tsx'
import { Comparison } from './comparison.tsx'
import { RollBack } from './roll-back.tsx'
import { Split } from './split.tsx'
import { text } from './text.ts'
import { VersionTable } from './version-table.tsx'
import type { Pair } from './version.ts'

/** What was published, who gets which of it, and what is different. */
export const VersionsPage = () => <FlowFrame tab="versions">{({ id }) => <Versions key={id} flowId={id} />}</FlowFrame>

const Versions = ({ flowId }: { flowId: string }) => {
  const versions = useRead('listAssistantVersions', { aiFlowId: flowId })
  const rollout = useRead('getRollout', { aiFlowId: flowId })
  return (
    <Loaded query={versions}>
      {({ items }) =>
        items.length === 0 ? (
          <NoVersion flowId={flowId} />
        ) : (
          <Loaded query={rollout}>{(now) => <Published flowId={flowId} versions={items} rollout={now} />}</Loaded>
        )
      }
    </Loaded>
  )
}

type PublishedProps = Pick<Parameters<typeof VersionTable>[0], 'flowId' | 'versions' | 'rollout'>

const Published = ({ flowId, versions, rollout }: PublishedProps) => {
  const say = useText(text)
  const may = useMay()('CAN_CHANGE_FLOWS')
  const newest = versions[0]?.version ?? 1
  const [pair, setPair] = useState<Pair>({ from: versions[1]?.version ?? newest, to: newest })
  return (
    <>
      <Section
        title={say.versions}
        description={say.about}
        flush
        actions={may && rollout.previous !== undefined && <RollBack flowId={flowId} to={rollout.previous} />}
      >
        <VersionTable flowId={flowId} versions={versions} rollout={rollout} onCompare={setPair} />
      </Section>
      {may && <Split key={JSON.stringify(rollout)} flowId={flowId} versions={versions} rollout={rollout} />}
      <Comparison flowId={flowId} versions={versions} pair={pair} onPair={setPair} />
    </>
  )
}

const NoVersion = ({ flowId }: { flowId: string }) => {
  const say = useText(text)
  return (
    <Section>
      <EmptyState
        icon="layers"
        title={say.emptyTitle}
        action={
          <Button component={Link} href={`/flows/${flowId}/assistant`}>
            {say.toDraft}
          </Button>
        }
      >
        {say.empty}
      </EmptyState>
    </Section>
  )
}
