import { Alert, Anchor, Box, Button, Checkbox, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useEffect, type FormEvent } from 'react'
import { Link } from 'wouter'
import { beginSession, type Role } from '../api/session.ts'
import { useWrite } from '../api/use-service.ts'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { useForm } from '../parts/use-form.ts'
import { useText } from '../words/use-text.tsx'
import { Brand } from './brand.tsx'
import { LanguageMenu, SchemeMenu } from './choices.tsx'
import { ForgottenPassword } from './forgotten-password.tsx'
import classes from './login-page.module.css'
import { text } from './text.ts'

/** For users and, at /operator, for the operator. Whoever has logged in stays at the address that was asked for. */
export const LoginPage = ({ role, ended }: { role: Role; ended: boolean }) => {
  const say = useText(text)
  const title = role === 'operator' ? say.operatorTitle : say.logInTitle
  useEffect(() => {
    document.title = `${say.logIn} · Offhook`
  }, [say])
  return (
    <Box className={classes.ground}>
      <Group justify="space-between" className={classes.top}>
        <Brand />
        <Group gap={4}>
          <LanguageMenu />
          <SchemeMenu />
        </Group>
      </Group>
      <Box component="main" className={classes.card}>
        <Title order={1}>{title}</Title>
        <Text c="dimmed" mt={4} mb="lg">
          {role === 'operator' ? say.operatorLead : say.logInLead}
        </Text>
        {ended && <Alert mb="md">{say.ended}</Alert>}
        <LoginForm role={role} />
      </Box>
      <Box component="footer" className={classes.foot}>
        <Text size="sm" c="dimmed">
          {say.firstTime}
        </Text>
        <Anchor component={Link} href={role === 'operator' ? '/' : '/operator'} size="sm">
          {role === 'operator' ? say.asUser : say.asOperator}
        </Anchor>
      </Box>
    </Box>
  )
}

const LoginForm = ({ role }: { role: Role }) => {
  const say = useText(text)
  const begin = (token: string): void =>
    beginSession(role, token, form.values.email.toLowerCase(), form.values.stay ? 'forgotten' : 'closed')
  const asUser = useWrite('createSessionToken', { onDone: ({ token }) => begin(token) })
  const asOperator = useWrite('createOperatorSession', { onDone: ({ token }) => begin(token) })
  const { error, isPending } = role === 'operator' ? asOperator : asUser
  const form = useForm({ email: '', password: '', stay: true })
  const send = (event: FormEvent): void => {
    event.preventDefault()
    const { email, password } = form.values
    if (role === 'operator') asOperator.mutate([{}, { email, password }])
    else asUser.mutate([{}, { username: email, password }])
  }
  return (
    <form onSubmit={send}>
      <Stack>
        <TextInput label={say.email} type="email" autoComplete="username" required autoFocus withAsterisk={false} {...form.text('email')} />
        <PasswordInput label={say.password} autoComplete="current-password" required withAsterisk={false} {...form.text('password')} />
        <Checkbox label={say.stay} {...form.tick('stay')} />
        <ErrorNotice error={error} />
        <Button type="submit" loading={isPending} size="md">
          {say.logIn}
        </Button>
        {role === 'user' && <ForgottenPassword />}
      </Stack>
    </form>
  )
}
