import { Box, Button } from '@mantine/core'
import { useState } from 'react'
import { useRead, type OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './account-sections.module.css'
import { text } from './text.ts'
import { DecideOutbound } from './decide-outbound.tsx'

type Outbound = OutputOf<'readAccountOutbound'>

type Review = Outbound['reviews'][number]

/** Whether assistants may call out, and who decided so. */
export const AccountOutbound = ({ accountId }: { accountId: string }) => {
  const say = useText(text)
  const outbound = useRead('readAccountOutbound', { accountId })
  const [deciding, setDeciding] = useState(false)
  return (
    <Section
      title={say.outboundTitle}
      description={say.outboundHint}
      flush
      actions={
        <Button size="xs" variant="default" onClick={() => setDeciding(true)}>
          {say.decide}
        </Button>
      }
    >
      <Loaded query={outbound}>
        {(found) => (
          <>
            <Box className={classes.above}>
              <Allowed enabled={found.enabled} />
            </Box>
            <Reviews reviews={found.reviews.toReversed()} />
            {deciding && <DecideOutbound accountId={accountId} enabled={found.enabled} onClose={() => setDeciding(false)} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

const Allowed = ({ enabled }: { enabled: boolean }) => {
  const { outboundWords } = useText(text)
  return <StatusBadge tone={enabled ? 'good' : 'quiet'}>{enabled ? outboundWords.yes : outboundWords.no}</StatusBadge>
}

const Reviews = ({ reviews }: { reviews: Review[] }) => {
  const say = useText(text)
  const columns: Column<Review>[] = [
    { key: 'decision', header: say.decision, cell: ({ enabled }) => <Allowed enabled={enabled} /> },
    { key: 'reviewer', header: say.decidedBy, cell: ({ reviewer }) => reviewer },
    { key: 'reason', header: say.reason, cell: ({ reason }) => reason },
    { key: 'at', header: say.at, value: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
  ]
  return (
    <List
      name="outbound"
      label={say.reviews}
      rows={reviews}
      columns={columns}
      rowKey={({ at }) => at}
      empty={
        <EmptyState icon="shield" title={say.noReview}>
          {say.noReviewHint}
        </EmptyState>
      }
    />
  )
}
