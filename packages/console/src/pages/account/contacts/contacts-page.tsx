import { Group, Tabs } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useText } from '#words/use-text.tsx'
import { AddressBook } from './address-book.tsx'
import { Colleagues } from './colleagues.tsx'
import { ContactForm } from './contact-form.tsx'
import { Duplicates } from './duplicates.tsx'
import { ImportForm } from './import-form.tsx'
import { text } from './text.ts'
import { useExport } from './use-export.ts'

type Dialog = 'add' | 'import' | 'duplicates'

export const ContactsPage = () => {
  const say = useText(text)
  const mayChange = useMay()('CAN_CHANGE_CONTACTS')
  const [dialog, setDialog] = useState<Dialog>()
  const close = (): void => setDialog(undefined)
  return (
    <Page title={say.title} description={say.lead} actions={<Actions mayChange={mayChange} onOpen={setDialog} />}>
      <Tabs defaultValue="own" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="own">{say.own}</Tabs.Tab>
          <Tabs.Tab value="colleagues">{say.colleagues}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="own">
          <Section flush>
            <AddressBook mayChange={mayChange} />
          </Section>
        </Tabs.Panel>
        <Tabs.Panel value="colleagues">
          <Section flush>
            <Colleagues />
          </Section>
        </Tabs.Panel>
      </Tabs>
      {dialog === 'add' && <ContactForm onClose={close} />}
      {dialog === 'import' && <ImportForm onClose={close} />}
      {dialog === 'duplicates' && <Duplicates onClose={close} />}
      {mayChange && <NumberToKeep />}
    </Page>
  )
}

const Actions = ({ mayChange, onOpen }: { mayChange: boolean; onOpen: (dialog: Dialog) => void }) => {
  const say = useText(text)
  const save = useExport()
  const changes = [
    { label: say.import, icon: 'upload', onClick: () => onOpen('import') },
    { label: say.duplicates, icon: 'copy', onClick: () => onOpen('duplicates') },
  ] as const
  return (
    <Group gap="xs" wrap="nowrap">
      {mayChange && <AddButton onClick={() => onOpen('add')}>{say.add}</AddButton>}
      <RowMenu
        label={say.more}
        actions={[
          ...(mayChange ? changes : []),
          { label: say.exportVcard, icon: 'download', onClick: () => save('vcard') },
          { label: say.exportCsv, icon: 'download', onClick: () => save('csv') },
        ]}
      />
    </Group>
  )
}

/** Whoever comes from a number that nobody knows (`/contacts?number=…`) only has to say who it is. */
const NumberToKeep = () => {
  const [params, setParams] = useSearchParams()
  const number = params.get('number')
  const forget = (): void =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        after.delete('number')
        return after
      },
      { replace: true },
    )
  return number === null ? null : <ContactForm key={number} number={number} onClose={forget} />
}
