import { Box, Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearch } from 'wouter'
import { api } from '../../../api/client.ts'
import { useRead, type OutputOf } from '../../../api/use-service.ts'
import type { Column } from '../../../parts/data-table.tsx'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { Page } from '../../../parts/page.tsx'
import { Section } from '../../../parts/section.tsx'
import { Time } from '../../../parts/values.tsx'
import { useText } from '../../../words/use-text.tsx'
import { Actor } from '../../../parts/actor.tsx'
import { AuditDetail } from '../../../parts/audit-detail.tsx'
import { PagedTable } from '../../../parts/paged-table.tsx'
import { AccountSelect } from '../account-select.tsx'
import type { Pages } from '../../../parts/use-pages.ts'
import { text } from './text.ts'
import { Verification } from './verification.tsx'

type Entry = OutputOf<'listAudit'>['items'][number]

const pageSize = 100
const ofInstallation = 'operator'

/** Who changed what, and whether the log is whole. */
export const AuditPage = () => {
  const say = useText(text)
  const [chain, setChain] = useState(new URLSearchParams(useSearch()).get('chain') ?? ofInstallation)
  const verification = useRead('verifyAudit', {}, { when: false })
  return (
    <Page
      title={say.title}
      description={say.description}
      actions={
        <Button variant="default" loading={verification.isFetching} onClick={() => void verification.refetch()}>
          {say.verify}
        </Button>
      }
    >
      {verification.isFetched && <Verification result={verification} />}
      <Box maw="24rem">
        <AccountSelect
          label={say.whose}
          value={chain}
          onChange={(chosen) => setChain(chosen === '' ? ofInstallation : chosen)}
          besides={{ value: ofInstallation, label: say.installation }}
        />
      </Box>
      <Entries chain={chain} />
    </Page>
  )
}

const Entries = ({ chain }: { chain: string }) => {
  const say = useText(text)
  const columns: Column<Entry>[] = [
    { key: 'at', header: say.at, cell: ({ at }) => <Time at={at} /> },
    { key: 'action', header: say.action, cell: ({ action }) => action },
    { key: 'target', header: say.target, cell: ({ target }) => target },
    { key: 'actor', header: say.actor, cell: ({ actor }) => <Actor name={actor} /> },
    { key: 'detail', header: say.detail, cell: ({ detail }) => <AuditDetail detail={detail} />, wideOnly: true },
  ]
  return (
    <Section flush>
      <PagedTable
        pages={useEntries(chain)}
        label={say.list}
        columns={columns}
        rowKey={({ hash }) => hash}
        empty={
          <EmptyState icon="shield" title={say.none}>
            {say.noneHint}
          </EmptyState>
        }
      />
    </Section>
  )
}

/** The latest first; pages go by the number of the last entry. */
const useEntries = (chain: string): Pages<Entry> => {
  const query = useInfiniteQuery({
    queryKey: ['listAudit', 'pages', chain],
    queryFn: ({ pageParam }) => api.listAudit({ chain, before: pageParam, limit: pageSize }),
    initialPageParam: 0,
    getNextPageParam: ({ items }) => (items.length < pageSize ? undefined : items.at(-1)?.seq),
  })
  return {
    rows: query.data?.pages.flatMap(({ items }) => items),
    error: query.error,
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    retry: () => void query.refetch(),
  }
}
