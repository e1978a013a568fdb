import { NativeSelect, TextInput } from '@mantine/core'
import { useRead } from '#api/use-service.ts'
import { Section } from '#parts/page/section.tsx'
import type { Form } from '#parts/form/use-form.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { Fields } from './fields.tsx'
import type { FlowForm } from './flow-form.ts'
import { text } from './text.ts'

export const GeneralSection = ({ form }: { form: Form<FlowForm> }) => {
  const say = useText(text)
  const format = useFormat()
  const numbers = useRead('listNumbers')
  const own = numbers.data?.items.filter(({ type, state }) => type !== 'QUICKDIAL' && state === 'ACTIVE') ?? []
  const choices = own.map(({ number }) => ({ value: number.slice(1), label: format.phone(number) }))
  const present = form.values.phone_number
  const known = present === '' || choices.some(({ value }) => value === present)
  const data = [{ value: '', label: say.noNumber }, ...choices, ...(known ? [] : [{ value: present, label: format.phone(`+${present}`) }])]
  return (
    <Section title={say.general}>
      <Fields>
        <TextInput label={say.name} required maxLength={100} {...form.text('name')} />
        <TextInput label={say.language} description={say.languageHint} {...form.text('language')} />
        <NativeSelect label={say.phoneNumber} description={say.phoneNumberHint} data={data} {...form.text('phone_number')} />
      </Fields>
    </Section>
  )
}
