import { Box, Button } from '@mantine/core'
import { useState } from 'react'
import { useSearch } from 'wouter'
import { api } from '#api/client.ts'
import { useRead } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { List } from '#parts/list/list.tsx'
import { AccountSelect } from '../parts/account-select.tsx'
import { usePages } from '#parts/list/use-pages.ts'
import { useAuditColumns, type AuditEntry } from '#pages/audit/use-audit-columns.tsx'
import { text } from './text.ts'
import { Verification } from './verification.tsx'

const ofInstallation = 'operator'

/** The audit log and its integrity. */
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
  const entries = usePages<AuditEntry>(
    'listAudit',
    { chain },
    ({ after = 0, limit }) => api.listAudit({ chain, limit, before: Number(after) }),
    ({ seq }) => String(seq),
  )
  return (
    <Section flush>
      <List
        pages={entries}
        label={say.list}
        columns={useAuditColumns()}
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
