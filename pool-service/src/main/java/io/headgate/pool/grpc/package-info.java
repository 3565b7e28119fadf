/// The contract: conversion of messages and values, refusals and statuses.
@NullMarked
package io.headgate.pool.grpc;

import org.jspecify.annotations.NullMarked;
