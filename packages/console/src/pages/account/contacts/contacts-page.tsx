import { Tabs } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { Page } from '#parts/page/page.tsx'
import { SearchField } from '#parts/form/search-field.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { AddressBook } from './address-book.tsx'
import { Colleagues } from './colleagues.tsx'
import { ContactForm } from './contact-form.tsx'
import { text } from './text.ts'

export const ContactsPage = () => {
  const say = useText(text)
  const may = useMay()
  const [adding, setAdding] = useState(false)
  const [wanted, setWanted] = useState('')
  const mayChange = may('CAN_CHANGE_CONTACTS')
  const add = mayChange && <AddButton onClick={() => setAdding(true)}>{say.add}</AddButton>
  return (
    <Page title={say.title} description={say.lead} actions={add}>
      <SearchField label={say.search} value={wanted} onChange={setWanted} />
      <Tabs defaultValue="own" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="own">{say.own}</Tabs.Tab>
          <Tabs.Tab value="colleagues">{say.colleagues}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="own">
          <Section flush>
            <AddressBook wanted={wanted} mayChange={mayChange} />
          </Section>
        </Tabs.Panel>
        <Tabs.Panel value="colleagues">
          <Section flush>
            <Colleagues wanted={wanted} />
          </Section>
        </Tabs.Panel>
      </Tabs>
      {adding && <ContactForm onClose={() => setAdding(false)} />}
    </Page>
  )
}
