import { api } from '#api/client.ts'
import { useRead } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { List } from '#parts/list/list.tsx'
import { Section } from '#parts/page/section.tsx'
import { usePages } from '#parts/list/use-pages.ts'
import { useText } from '#words/use-text.tsx'
import { useAuditColumns, type AuditEntry } from '#pages/audit/use-audit-columns.tsx'
import { fullName } from '#lazy-parts/people.ts'
import { useMay } from '#api/use-may.ts'
import { AuditStreams } from './audit-streams.tsx'
import { text } from './text.ts'

/** Audit log of the account, for its administrators. */
export const AuditPage = () => {
  const say = useText(text)
  const entries = usePages<AuditEntry>(
    'listAccountAudit',
    {},
    ({ after, limit }) => api.listAccountAudit({ limit, ...(after !== undefined && { before: Number(after) }) }),
    ({ seq }) => String(seq),
  )
  const nameOf = useNameOf()
  const may = useMay()
  const columns = useAuditColumns(nameOf)
  return (
    <Page title={say.title} description={say.lead}>
      <Section flush>
        <List
          pages={entries}
          label={say.list}
          columns={columns}
          rowKey={({ seq }) => String(seq)}
          empty={
            <EmptyState icon="shield" title={say.none}>
              {say.noneHint}
            </EmptyState>
          }
        />
      </Section>
      {may('CAN_MANAGE_AUDIT_STREAMS') && <AuditStreams />}
    </Page>
  )
}

/** Name of an existing user of the account. */
const useNameOf = (): ((actor: string) => string | undefined) => {
  const users = useRead('listUsers').data?.items ?? []
  return (actor) => {
    const user = users.find(({ id }) => actor === `user:${id}`)
    return user && fullName(user)
  }
}
