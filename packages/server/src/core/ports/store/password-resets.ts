export interface PasswordResets {}
