import { Button, Group, Stack, Text } from '@mantine/core'
import { Dialog } from '#parts/modal/dialog.tsx'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { useText } from '#words/use-text.tsx'
import type { Contact } from './contact-form.tsx'
import { text } from './text.ts'

type SameContacts = OutputOf<'listDuplicateContacts'>['items'][number]

/** Probable duplicates, to merge. */
export const Duplicates = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const duplicates = useRead('listDuplicateContacts')
  return (
    <Dialog onClose={onClose} title={say.duplicates} size="lg">
      <Loaded query={duplicates}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="check" title={say.noDuplicates} />
          ) : (
            <Stack>
              <Text c="dimmed">{say.duplicatesLead}</Text>
              {items.map(({ contacts }) => (
                <Same key={contacts.map(({ id }) => id).join()} contacts={contacts} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Dialog>
  )
}

const Same = ({ contacts }: SameContacts) => {
  const say = useText(text)
  const toast = useToast()
  const merge = useWrite('mergeContacts', { refreshes: ['listContacts', 'listDuplicateContacts'], onDone: () => toast.done(say.merged) })
  const [first] = contacts
  const ids = contacts.slice(0, 20).map(({ id }) => id)
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap">
      <Stack gap={2}>
        {contacts.map((contact) => (
          <Text key={contact.id} size="sm">
            <b>{contact.name}</b> {reachable(contact)}
          </Text>
        ))}
      </Stack>
      <Button
        variant="default"
        size="xs"
        miw="fit-content"
        aria-label={say.mergeInto(first?.name ?? '')}
        loading={merge.isPending}
        onClick={() => merge.mutate([{}, { ids }], { onError: (error) => toast.failed(error) })}
      >
        {say.merge}
      </Button>
    </Group>
  )
}

const reachable = ({ numbers, emails }: Contact): string => [...numbers, ...emails].join(', ')
