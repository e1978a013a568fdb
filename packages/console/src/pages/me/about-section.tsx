import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { Section } from '#parts/page/section.tsx'
import { LanguageSelect, TimezoneSelect } from '#lazy-parts/profile-selects.tsx'
import type { User } from '#lazy-parts/people.ts'
import { languageFor } from '#words/languages.ts'
import { useLanguage, useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export const AboutSection = ({ user }: { user: User }) => {
  const say = useText(text)
  const toast = useToast()
  const { language, choose } = useLanguage()
  const { firstname, lastname, timezone } = user
  // Who never chose one sees the language that this browser wants.
  const locale = user.localeChosen ? user.locale : language === 'de' ? ('de_DE' as const) : ('en_US' as const)
  const change = useWrite('changeUser', {
    refreshes: ['getUser', 'listUsers', 'getUserInfo'],
    onDone: (_reply, [, input]) => {
      toast.done(say.saved)
      form.reset(form.values)
      if (input?.locale !== undefined && input.locale !== locale) choose(languageFor([input.locale]))
    },
  })
  const form = useForm({ firstname, lastname, locale, timezone }, change.error)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (!change.isPending) change.mutate([{ userId: user.id }, form.values])
  }
  return (
    <Section title={say.about}>
      <form onSubmit={send} noValidate>
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput label={say.firstname} autoComplete="given-name" {...form.text('firstname')} />
            <TextInput label={say.lastname} autoComplete="family-name" {...form.text('lastname')} />
            <LanguageSelect label={say.language} description={say.languageHint} {...form.value('locale')} />
            <TimezoneSelect label={say.timezone} {...form.value('timezone')} />
          </SimpleGrid>
          <ErrorNotice error={change.error} />
          <Group>
            <Button type="submit" loading={change.isPending} disabled={!form.changed}>
              {say.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
