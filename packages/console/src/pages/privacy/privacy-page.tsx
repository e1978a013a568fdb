import { useMay } from '#api/use-may.ts'
import { useMe } from '#api/use-me.ts'
import { useRead } from '#api/use-service.ts'
import { Page } from '#parts/page/page.tsx'
import { fullName } from '#lazy-parts/people.ts'
import { ErasureList } from '#lazy-parts/privacy/erasure-list.tsx'
import { ExportList } from '#lazy-parts/privacy/export-list.tsx'
import { PrivacySection } from '#lazy-parts/privacy/privacy-section.tsx'
import { usePrivacy } from '#lazy-parts/privacy/privacy-section.tsx'
import type { NameOf } from '#lazy-parts/privacy/use-request-columns.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { text as privacyText } from '#lazy-parts/privacy/text.ts'

/** Milliseconds; exports and erasures change state on their own. */
const every = 5_000

export const PrivacyPage = () => {
  const say = useText(text)
  const me = useMe()
  const mayErase = useMay()('CAN_ERASE_DATA')
  const exports = useRead('listDataExports', {}, { every })
  const erasures = useRead('listErasures', {}, { every, when: mayErase })
  const requests = [...(exports.data?.items ?? []), ...(erasures.data?.items ?? [])]
  const nameOf = useNames(requests.some(({ subject }) => subject.type === 'CONTACT'))
  return (
    <Page title={say.title} description={say.lead}>
      {me && (
        <PrivacySection
          title={say.ownData}
          description={say.ownDataHint}
          of={{ subject: { type: 'USER', id: me.id }, name: fullName(me) }}
          mayErase={false}
        />
      )}
      <ExportList query={exports} nameOf={nameOf} />
      {mayErase && (
        <>
          <ErasureList query={erasures} nameOf={nameOf} />
          <NumberSection />
          <PrivacySection
            title={say.account}
            description={say.accountHint}
            of={{ subject: { type: 'ACCOUNT' }, name: say.yourAccount }}
            mayErase
          />
        </>
      )}
    </Page>
  )
}

const maxContacts = 500

/** Names of users, and of visible contacts. */
const useNames = (hasContacts: boolean): NameOf => {
  const users = useRead('listUsers').data?.items ?? []
  const contacts = useRead('listContacts', { limit: maxContacts }, { when: hasContacts }).data?.items ?? []
  return ({ type, id }) => {
    if (type === 'CONTACT') return contacts.find((one) => one.id === id)?.name
    const user = type === 'USER' ? users.find((one) => one.id === id) : undefined
    return user && fullName(user)
  }
}

const e164 = /^\+[1-9]\d{5,14}$/

/** A caller who is neither a user nor a contact. */
export const NumberSection = () => {
  const say = useText(text)
  const words = useText(privacyText)
  const privacy = usePrivacy()
  const [typed, setTyped] = useState('')
  const [isChecked, setChecked] = useState(false)
  const number = typed.replaceAll(/[\s()/.-]/g, '')
  const isNumber = e164.test(number)
  const withNumber = (then: typeof privacy.erase) => (): void => {
    setChecked(true)
    if (isNumber) then({ subject: { type: 'NUMBER', id: number }, name: typed.trim() })
  }
  return (
    <Section title={say.number} description={say.numberHint}>
      <TextInput
        label={say.phoneNumber}
        type="tel"
        maw={320}
        mb="md"
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        error={isChecked && !isNumber && say.numberWrong}
      />
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          loading={privacy.isPending}
          onClick={withNumber(privacy.exportData)}
        >
          {words.exportData}
        </Button>
        <Button
          variant="default"
          c="var(--mantine-color-error)"
          leftSection={<Icon name="trash" size={16} />}
          onClick={withNumber(privacy.erase)}
        >
          {words.erase}
        </Button>
      </Group>
      {privacy.dialog}
    </Section>
  )
}
