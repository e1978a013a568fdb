import { api } from '../../../api/client.ts'
import { useRead, type OutputOf } from '../../../api/use-service.ts'
import { Actor } from '../../../parts/actor.tsx'
import { AuditDetail } from '../../../parts/audit-detail.tsx'
import type { Column } from '../../../parts/data-table.tsx'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { Page } from '../../../parts/page.tsx'
import { PagedTable } from '../../../parts/paged-table.tsx'
import { Section } from '../../../parts/section.tsx'
import { usePages } from '../../../parts/use-pages.ts'
import { Time } from '../../../parts/values.tsx'
import { useText } from '../../../words/use-text.tsx'
import { fullName } from '../people.ts'
import { text } from './text.ts'

type Entry = OutputOf<'listAccountAudit'>['items'][number]

/** What happened to the account, for its administrators. */
export const AuditPage = () => {
  const say = useText(text)
  const entries = usePages<Entry>(
    'listAccountAudit',
    {},
    ({ after, limit }) => api.listAccountAudit({ limit, ...(after !== undefined && { before: Number(after) }) }),
    ({ seq }) => String(seq),
  )
  const nameOf = useNameOf()
  const columns: Column<Entry>[] = [
    { key: 'at', header: say.at, cell: ({ at }) => <Time at={at} /> },
    { key: 'action', header: say.action, cell: ({ action }) => action },
    { key: 'target', header: say.target, cell: ({ target }) => target },
    { key: 'actor', header: say.actor, cell: ({ actor }) => nameOf(actor) ?? <Actor name={actor} /> },
    { key: 'detail', header: say.detail, cell: ({ detail }) => <AuditDetail detail={detail} />, wideOnly: true },
  ]
  return (
    <Page title={say.title} description={say.lead}>
      <Section flush>
        <PagedTable
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
    </Page>
  )
}

/** The name of a user whom the account still has. */
const useNameOf = (): ((actor: string) => string | undefined) => {
  const users = useRead('listUsers').data?.items ?? []
  return (actor) => {
    const user = users.find(({ id }) => actor === `user:${id}`)
    return user && fullName(user)
  }
}
