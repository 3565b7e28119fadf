/// Endpoints: conversion of messages and core records. Protobuf types stay here.
@NullMarked
package io.headgate.policy.grpc;

import org.jspecify.annotations.NullMarked;
